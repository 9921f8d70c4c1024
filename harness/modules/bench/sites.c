// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* A thousand functions. Each adds another constant, so that the compiler cannot merge them. */
#include <linux/compiler.h>

#include "bench.h"

#define TEN(is, of) is(of##0) is(of##1) is(of##2) is(of##3) is(of##4) \
		    is(of##5) is(of##6) is(of##7) is(of##8) is(of##9)
#define HUNDRED(is, of) TEN(is, of##0) TEN(is, of##1) TEN(is, of##2) TEN(is, of##3) TEN(is, of##4) \
			TEN(is, of##5) TEN(is, of##6) TEN(is, of##7) TEN(is, of##8) TEN(is, of##9)
#define THOUSAND(is, of) HUNDRED(is, of##0) HUNDRED(is, of##1) HUNDRED(is, of##2) HUNDRED(is, of##3) \
			 HUNDRED(is, of##4) HUNDRED(is, of##5) HUNDRED(is, of##6) HUNDRED(is, of##7) \
			 HUNDRED(is, of##8) HUNDRED(is, of##9)

#define DEFINE(number)								\
	unsigned long trapline_bench_site_##number(unsigned long argument);	\
	noinline unsigned long trapline_bench_site_##number(unsigned long argument) \
	{									\
		return trapline_bench_probed(argument) + number;		\
	}
THOUSAND(DEFINE, 1)

#define ADDRESS(number) trapline_bench_site_##number,
void *const bench_sites[BENCH_SITES] = { THOUSAND(ADDRESS, 1) };
