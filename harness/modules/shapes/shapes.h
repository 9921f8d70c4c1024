/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The functions that can be called, and what each makes of its argument; arch/ has most of them. */
#ifndef SHAPES_H
#define SHAPES_H

#define SHAPES(is)          \
	is(value)           /* 2x + 1 */ \
	is(nothing)         /* its first instruction is its return */ \
	is(many)            /* 10, 20, 30; 40 behind that: a way out for each */ \
	is(conditional)     /* x + 10 below 5; 50; 60; x + 20 behind that; where there are conditional returns, by three of them */ \
	is(tail)            /* value(x + 1), by a jump */ \
	is(tail_register)   /* value(x + 2), by a jump to where a register says */ \
	is(tail_maybe)      /* value(0) by a conditional jump; x + 100 for others */ \
	is(pool)            /* x + 70 for 0 to 2, if its words that look like ways out are as they were built */ \
	is(table)           /* 100, 111, 122, 133 through a table; 99 behind that */ \
	is(branches)        /* 200, 211, 222, 233 through a row of branches; 199 behind that */ \
	is(marks)           /* calls mark twice, and nothing comes in between */ \
	is(deep)            /* calls mark where no more than x bytes of the stack are left */

#endif
