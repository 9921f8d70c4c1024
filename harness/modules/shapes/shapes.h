/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * trapline-shapes: the functions that can be called, and what each computes
 * from its argument x. Most are in arch/, written in assembly so that their
 * form is exact.
 */
#ifndef SHAPES_H
#define SHAPES_H

#define SHAPES(is)          \
	is(value)           /* 2x + 1 */ \
	is(nothing)         /* returns with its first instruction */ \
	is(many)            /* 10, 20, 30, then 40: a return for each */ \
	is(conditional)     /* x + 10 below 5; 50; 60; then x + 20; conditional returns on ARM */ \
	is(tail)            /* value(x + 1), by a tail call */ \
	is(tail_register)   /* value(x + 2), by a tail call through a register */ \
	is(tail_maybe)      /* value(0) by a conditional tail call; else x + 100 */ \
	is(pool)            /* x + 70 for 0 to 2, if its return-like literals are intact */ \
	is(table)           /* 100, 111, 122, 133 through a jump table; then 99 */ \
	is(branches)        /* 200, 211, 222, 233 through a row of branches; then 199 */ \
	is(marks)           /* calls mark twice with interrupts disabled */ \
	is(deep)            /* recurses until at most x bytes of stack are left, then calls mark */

#endif
