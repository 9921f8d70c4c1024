// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* For modules without the self-test. */
#include "native.h"

unsigned long trapline_native_site(unsigned int number)
{
	return 0;
}

int trapline_native_prepare(void)
{
	return 0;
}

void trapline_native_release(void)
{
}

int trapline_native_init(void)
{
	return 0;
}

void trapline_native_exit(void)
{
}
