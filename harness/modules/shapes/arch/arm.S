/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#include <linux/linkage.h>

	.syntax	unified
	.arch	armv6k
	.text

SYM_FUNC_START(shape_nothing)
	bx	lr
SYM_FUNC_END(shape_nothing)

/* One return of each usual form. */
SYM_FUNC_START(shape_many)
	cmp	r0, #1
	bhi	2f
	beq	1f
	mov	r0, #10
	bx	lr
1:	push	{r4, lr}
	mov	r0, #20
	pop	{r4, pc}
2:	cmp	r0, #2
	bne	3f
	push	{lr}
	mov	r0, #30
	pop	{pc}
3:	mov	r0, #40
	mov	pc, lr
SYM_FUNC_END(shape_many)

SYM_FUNC_START(shape_conditional)
	cmp	r0, #5
	addlo	r0, r0, #10
	bxlo	lr
	push	{r4, lr}
	cmp	r0, #5
	moveq	r0, #50
	popeq	{r4, pc}
	ldr	r4, [sp], #4
	cmp	r0, #6
	moveq	r0, #60
	ldreq	pc, [sp], #4
	add	r0, r0, #20
	pop	{pc}
SYM_FUNC_END(shape_conditional)

SYM_FUNC_START(shape_tail)
	add	r0, r0, #1
	b	shape_value
SYM_FUNC_END(shape_tail)

SYM_FUNC_START(shape_tail_register)
	ldr	r3, =shape_value
	add	r0, r0, #2
	bx	r3
	.ltorg
SYM_FUNC_END(shape_tail_register)

SYM_FUNC_START(shape_tail_maybe)
	cmp	r0, #0
	beq	shape_value
	add	r0, r0, #100
	bx	lr
SYM_FUNC_END(shape_tail_maybe)

/* Code, then literals that decode as `bx lr`, `pop {r4, pc}` and `pop {pc}`, then code again. */
SYM_FUNC_START(shape_pool)
	push	{r4, lr}
	ldr	r2, 5f
	cmp	r0, #1
	ldreq	r2, 6f
	ldrhi	r2, 7f
	ldr	r3, 8f
	b	9f
5:	.word	0xe12fff1e
6:	.word	0xe8bd8010
7:	.word	0xe49df004
8:	.word	shape_words
9:	ldr	r3, [r3, r0, lsl #2]
	eor	r2, r2, r3
	add	r0, r0, #70
	add	r0, r0, r2
	pop	{r4, pc}
SYM_FUNC_END(shape_pool)

SYM_FUNC_START(shape_table)
	cmp	r0, #3
	ldrls	pc, [pc, r0, lsl #2]
	b	5f
	.word	1f, 2f, 3f, 4f
1:	mov	r0, #100
	bx	lr
2:	mov	r0, #111
	bx	lr
3:	mov	r0, #122
	bx	lr
4:	mov	r0, #133
	bx	lr
5:	mov	r0, #99
	bx	lr
SYM_FUNC_END(shape_table)

SYM_FUNC_START(shape_branches)
	cmp	r0, #3
	addls	pc, pc, r0, lsl #2
	b	5f
	b	1f
	b	2f
	b	3f
	b	4f
1:	mov	r0, #200
	bx	lr
2:	mov	r0, #211
	bx	lr
3:	mov	r0, #222
	bx	lr
4:	mov	r0, #233
	bx	lr
5:	mov	r0, #199
	bx	lr
SYM_FUNC_END(shape_branches)

	.section .rodata
shape_words:
	.word	0xe12fff1e, 0xe8bd8010, 0xe49df004
