/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#include <linux/linkage.h>

	.text

/* Without the BTI landing pad that SYM_FUNC_START adds. */
SYM_START(shape_nothing, SYM_L_GLOBAL, SYM_A_ALIGN)
	ret
SYM_FUNC_END(shape_nothing)

SYM_FUNC_START(shape_many)
	cmp	x0, #1
	b.hi	2f
	b.eq	1f
	mov	x0, #10
	ret
1:	stp	x29, x30, [sp, #-16]!
	mov	x0, #20
	ldp	x29, x30, [sp], #16
	ret
2:	cmp	x0, #2
	b.ne	3f
	mov	x9, x30
	mov	x0, #30
	ret	x9
3:	mov	x0, #40
	ret
SYM_FUNC_END(shape_many)

SYM_FUNC_START(shape_conditional)
	cmp	x0, #5
	b.hs	1f
	add	x0, x0, #10
	ret
1:	b.ne	2f
	mov	x0, #50
	ret
2:	cmp	x0, #6
	b.ne	3f
	mov	x0, #60
	ret
3:	add	x0, x0, #20
	ret
SYM_FUNC_END(shape_conditional)

SYM_FUNC_START(shape_tail)
	add	x0, x0, #1
	b	shape_value
SYM_FUNC_END(shape_tail)

SYM_FUNC_START(shape_tail_register)
	adrp	x16, shape_value
	add	x16, x16, :lo12:shape_value
	add	x0, x0, #2
	br	x16
SYM_FUNC_END(shape_tail_register)

SYM_FUNC_START(shape_tail_maybe)
	cbz	x0, shape_value
	add	x0, x0, #100
	ret
SYM_FUNC_END(shape_tail_maybe)

/* Code, then literals that decode as `ret`, `b .` and `br x0`, then code again. */
SYM_FUNC_START(shape_pool)
	ldr	w2, 5f
	cmp	x0, #1
	b.lo	1f
	ldr	w2, 6f
	b.eq	1f
	ldr	w2, 7f
1:	adrp	x3, shape_words
	add	x3, x3, :lo12:shape_words
	b	9f
5:	.word	0xd65f03c0
6:	.word	0x14000000
7:	.word	0xd61f0000
9:	ldr	w3, [x3, x0, lsl #2]
	eor	w2, w2, w3
	add	x0, x0, #70
	add	x0, x0, x2
	ret
SYM_FUNC_END(shape_pool)

SYM_FUNC_START(shape_table)
	cmp	x0, #3
	b.hi	5f
	adrp	x1, shape_ways
	add	x1, x1, :lo12:shape_ways
	ldrsw	x1, [x1, x0, lsl #2]
	adr	x2, 1f
	add	x1, x2, x1, lsl #2
	br	x1
1:	mov	x0, #100
	ret
2:	mov	x0, #111
	ret
3:	mov	x0, #122
	ret
4:	mov	x0, #133
	ret
5:	mov	x0, #99
	ret
SYM_FUNC_END(shape_table)

SYM_FUNC_START(shape_branches)
	cmp	x0, #3
	b.hi	5f
	adr	x1, 6f
	add	x1, x1, x0, lsl #2
	br	x1
6:	b	1f
	b	2f
	b	3f
	b	4f
1:	mov	x0, #200
	ret
2:	mov	x0, #211
	ret
3:	mov	x0, #222
	ret
4:	mov	x0, #233
	ret
5:	mov	x0, #199
	ret
SYM_FUNC_END(shape_branches)

	.section .rodata
	.balign	4
shape_words:
	.word	0xd65f03c0, 0x14000000, 0xd61f0000
/* Offsets in instructions of shape_table, two per case. */
shape_ways:
	.word	0, 2, 4, 6
