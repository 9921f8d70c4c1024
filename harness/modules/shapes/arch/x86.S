/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#include <linux/linkage.h>
#include <asm/alternative.h>
#include <asm/nospec-branch.h>

	.text

SYM_FUNC_START(shape_nothing)
	RET
SYM_FUNC_END(shape_nothing)

SYM_FUNC_START(shape_many)
	cmpq	$1, %rdi
	ja	2f
	je	1f
	movl	$10, %eax
	RET
1:	pushq	%rbx
	movl	$20, %eax
	popq	%rbx
	RET
2:	cmpq	$2, %rdi
	jne	3f
	movl	$30, %eax
	RET
3:	movl	$40, %eax
	RET
SYM_FUNC_END(shape_many)

SYM_FUNC_START(shape_conditional)
	cmpq	$5, %rdi
	jae	1f
	leaq	10(%rdi), %rax
	RET
1:	jne	2f
	movl	$50, %eax
	RET
2:	cmpq	$6, %rdi
	jne	3f
	movl	$60, %eax
	RET
3:	leaq	20(%rdi), %rax
	RET
SYM_FUNC_END(shape_conditional)

SYM_FUNC_START(shape_tail)
	incq	%rdi
	jmp	shape_value
SYM_FUNC_END(shape_tail)

SYM_FUNC_START(shape_tail_register)
	movq	$shape_value, %rax
	addq	$2, %rdi
	JMP_NOSPEC rax
SYM_FUNC_END(shape_tail_register)

SYM_FUNC_START(shape_tail_maybe)
	testq	%rdi, %rdi
	je	shape_value
	leaq	100(%rdi), %rax
	RET
SYM_FUNC_END(shape_tail_maybe)

/* x86 has no literal pools; immediates and a displacement contain the byte of `ret`. */
SYM_FUNC_START(shape_pool)
	movabsq	$0xc3c3c3c3c3c3c3c3, %rdx
	cmpq	$1, %rdi
	jb	1f
	movabsq	$0xcb0000c2c3900000, %rdx
	je	1f
	leaq	-0x3c3c3c3d(%rdx), %rdx
1:	xorq	shape_words(, %rdi, 8), %rdx
	leaq	70(%rdi, %rdx), %rax
	RET
SYM_FUNC_END(shape_pool)

/* With retpolines a switch compiles to compares instead of a jump table. */
SYM_FUNC_START(shape_table)
	cmpq	$1, %rdi
	jb	1f
	je	2f
	cmpq	$3, %rdi
	jb	3f
	je	4f
	movl	$99, %eax
	RET
1:	movl	$100, %eax
	RET
2:	movl	$111, %eax
	RET
3:	movl	$122, %eax
	RET
4:	movl	$133, %eax
	RET
SYM_FUNC_END(shape_table)

SYM_FUNC_START(shape_branches)
	movl	$200, %eax
	cmpq	$4, %rdi
	jae	5f
1:	subq	$1, %rdi
	jb	2f
	addl	$11, %eax
	jmp	1b
2:	RET
5:	movl	$199, %eax
	RET
SYM_FUNC_END(shape_branches)

/* Never called. */
SYM_FUNC_START(shape_locked)
	LOCK_PREFIX
	incq	(%rdi)
	RET
SYM_FUNC_END(shape_locked)

	.section .rodata
	.balign	8
shape_words:
	.quad	0xc3c3c3c3c3c3c3c3, 0xcb0000c2c3900000
	.quad	0xcb0000c2c3900000 - 0x3c3c3c3d
