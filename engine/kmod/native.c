// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* For the architectures that have no self-test of their own. */
#include <linux/compiler.h>

#include "native.h"

unsigned long __weak trapline_native_site(void)
{
	return 0;
}

int __weak trapline_native_prepare(void)
{
	return 0;
}

void __weak trapline_native_release(void)
{
}

int __weak trapline_native_init(void)
{
	return 0;
}

void __weak trapline_native_exit(void)
{
}
