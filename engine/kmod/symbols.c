// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* The kernel's symbols and text: lookup, the list of functions, and where no probe may be. */
#include <linux/extable.h>
#include <linux/ftrace.h>
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "compat/kallsyms.h"
#include "selftest.h"
#include "internal.h"
#include "shim.h"
#include "unexported.h"

UNEXPORTED(kallsyms_lookup_name);
UNEXPORTED(kallsyms_on_each_symbol);
UNEXPORTED(core_kernel_text);
UNEXPORTED(within_kprobe_blacklist);
UNEXPORTED(ftrace_text_reserved);
UNEXPORTED(jump_label_text_reserved);
UNEXPORTED(search_exception_tables);

/* Init text, which is freed after boot. */
static unsigned long init_start, init_end;

/* The return thunks of this kernel; unused entries are 0. */
static unsigned long return_thunks[8];

unsigned long tl_find_symbol(const char *name)
{
	return tl_unexported(kallsyms_lookup_name)(name);
}

unsigned long tl_symbol(const char *name)
{
	unsigned long address = tl_find_symbol(name);

	if (!address)
		pr_err("trapline: this kernel has no symbol %s\n", name);
	return address;
}

/*
 * Registering a kprobe by name resolves the address; but it may be behind the function's landing
 * pad.
 */
static int find_lookup_name(void)
{
	char text[KSYM_SYMBOL_LEN];
	unsigned long behind;
	const char *offset;
	struct kprobe probe = { .symbol_name = "kallsyms_lookup_name" };
	int error = register_kprobe(&probe);

	if (error) {
		pr_err("trapline: cannot register a kprobe on kallsyms_lookup_name: %d\n", error);
		return error;
	}
	sprint_symbol(text, (unsigned long)probe.addr);
	offset = strchr(text, '+');
	if (offset && sscanf(offset, "+0x%lx/", &behind) == 1)
		static_call_update(TL_KEY(kallsyms_lookup_name), (void *)probe.addr - behind);
	else
		error = -ENOENT;
	if (error)
		pr_err("trapline: the kernel calls the address of kallsyms_lookup_name %s\n", text);
	unregister_kprobe(&probe);
	return error;
}

static void find_return_thunks(void)
{
	const char *const *name = tl_return_thunks;
	size_t i = 0;

	for (; *name && i < ARRAY_SIZE(return_thunks); name++) {
		return_thunks[i] = tl_find_symbol(*name);
		i += return_thunks[i] != 0;
	}
}

int shim_is_return_thunk(unsigned long address)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(return_thunks) && return_thunks[i]; i++)
		if (return_thunks[i] == address)
			return 1;
	return 0;
}

int tl_symbols_init(void)
{
	int error = find_lookup_name();

	if (error)
		return error;
	find_return_thunks();
	init_start = tl_symbol("_sinittext");
	init_end = tl_symbol("_einittext");
	return tl_resolve(kallsyms_on_each_symbol) && tl_resolve(core_kernel_text) &&
	       tl_resolve(within_kprobe_blacklist) && tl_resolve(ftrace_text_reserved) &&
	       tl_resolve(jump_label_text_reserved) && tl_resolve(search_exception_tables) &&
	       init_start && init_end ? 0 : -ENOENT;
}

struct walk {
	shim_visit_fn visit;
	void *context;
};

/* Excludes data, which kallsyms lists with CONFIG_KALLSYMS_ALL. */
static bool is_function(unsigned long address)
{
	return tl_unexported(core_kernel_text)(address) || (address >= init_start && address < init_end);
}

static int visit_function(void *data, const char *name, unsigned long address)
{
	struct walk *walk = data;

	if (!is_function(address))
		return 0;
	return walk->visit(walk->context, name, strlen(name), address, 0);
}

COMPAT_KALLSYMS_CALLBACK(visit_symbol, visit_function)

/* The self-test's sites, listed as functions; none in a module without it. */
static int visit_natives(struct walk *walk)
{
	unsigned int number = 0;
	unsigned long native;
	int stop = 0;

	while (!stop && (native = tl_selftest_site(number++)))
		stop = walk->visit(walk->context, TRAPLINE_NATIVE_NAME,
				   strlen(TRAPLINE_NATIVE_NAME), native,
				   PAGE_SIZE - offset_in_page(native));
	return stop;
}

static bool is_native(unsigned long address)
{
	unsigned int number = 0;
	unsigned long native;

	while ((native = tl_selftest_site(number++)))
		if (native == address)
			return true;
	return false;
}

int shim_each_function(unsigned long module, shim_visit_fn visit, void *context)
{
	struct walk walk = { .visit = visit, .context = context };
	int stop;

	if (module)
		return tl_each_function_of(module, visit, context);
	stop = visit_natives(&walk);
	return stop ? stop : tl_unexported(kallsyms_on_each_symbol)(visit_symbol, &walk);
}

unsigned int shim_off_limits(unsigned long address)
{
	if (is_native(address))
		return 0;
	if (!tl_unexported(core_kernel_text)(address) && !tl_is_module_text(address))
		return 1;
	if (tl_unexported(within_kprobe_blacklist)(address))
		return 2;
	return tl_unexported(search_exception_tables)(address) ? 3 : 0;
}

/*
 * Takes no lock: the tables of jump labels and static calls live as long as the text
 * that they describe, and do not change once that can be probed.
 */
int shim_rewritten(unsigned long address)
{
	void *at = (void *)address;

	if (tl_unexported(ftrace_text_reserved)(at, at))
		return true;
	return tl_is_module_text(address) ? tl_is_module_rewritten(address) :
						  tl_is_rewritten(address);
}

bool tl_is_jump_label(unsigned long address)
{
	void *at = (void *)address;

	return tl_unexported(jump_label_text_reserved)(at, at);
}

size_t shim_head(unsigned long address)
{
	/* What is listed may have been freed after boot, and is not read then. */
	bool is_text = tl_unexported(core_kernel_text)(address) || tl_is_module_text(address);
	size_t pad = is_text ? tl_landing_pad(address) : 0;
	void *at = (void *)address + pad;

	return pad + (tl_unexported(ftrace_text_reserved)(at, at) ? MCOUNT_INSN_SIZE : 0);
}

/*
 * Not by copy_from_kernel_nofault(): what that calls can be probed, and disarming reads
 * the text of every site while the probes still fire.
 */
int shim_peek(unsigned long address, void *bytes, size_t length)
{
	const size_t word = sizeof(u32);
	u8 *to = bytes;

	pagefault_disable();
	if (IS_ALIGNED(address | (unsigned long)bytes, word))
		for (; length >= word; length -= word, address += word, to += word)
			__get_kernel_nofault(to, (u32 *)address, u32, fault);
	for (; length; length--, address++, to++)
		__get_kernel_nofault(to, (u8 *)address, u8, fault);
	pagefault_enable();
	return 0;
fault:
	pagefault_enable();
	return -EFAULT;
}
