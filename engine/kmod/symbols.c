// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* The kernel's symbols and its text: which functions there are, and what they are made of. */
#include <linux/extable.h>
#include <linux/ftrace.h>
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "native.h"
#include "shim.h"

/* Of the very types that this kernel's headers give them. */
static typeof(&kallsyms_lookup_name) lookup_name;
static typeof(&kallsyms_on_each_symbol) each_symbol;
static typeof(&core_kernel_text) is_core_text;
static typeof(&within_kprobe_blacklist) is_blacklisted;
static typeof(&ftrace_text_reserved) is_ftraced;
static typeof(&jump_label_text_reserved) is_jump_label;
static typeof(&search_exception_tables) find_fixup;

/* Where the kernel's text begins, and code of it that is freed once the kernel is up. */
static unsigned long text_start, init_start, init_end;

unsigned long trapline_symbol(const char *name)
{
	unsigned long address = lookup_name(name);

	if (!address)
		pr_err("trapline: this kernel has no symbol %s\n", name);
	return address;
}

/* kallsyms_lookup_name is not exported, but a kprobe can be put on it. */
static int find_lookup_name(void)
{
	struct kprobe probe = { .symbol_name = "kallsyms_lookup_name" };
	int error = register_kprobe(&probe);

	if (error) {
		pr_err("trapline: no kprobe on kallsyms_lookup_name: %d\n", error);
		return error;
	}
	lookup_name = (void *)probe.addr;
	unregister_kprobe(&probe);
	return 0;
}

int trapline_symbols_init(void)
{
	int error = find_lookup_name();

	if (error)
		return error;
	each_symbol = (void *)trapline_symbol("kallsyms_on_each_symbol");
	is_core_text = (void *)trapline_symbol("core_kernel_text");
	is_blacklisted = (void *)trapline_symbol("within_kprobe_blacklist");
	is_ftraced = (void *)trapline_symbol("ftrace_text_reserved");
	is_jump_label = (void *)trapline_symbol("jump_label_text_reserved");
	find_fixup = (void *)trapline_symbol("search_exception_tables");
	text_start = trapline_symbol("_stext");
	init_start = trapline_symbol("_sinittext");
	init_end = trapline_symbol("_einittext");
	return each_symbol && is_core_text && is_blacklisted && is_ftraced &&
	       is_jump_label && find_fixup && text_start && init_start && init_end ? 0 : -ENOENT;
}

struct walk {
	shim_visit_fn visit;
	void *context;
};

/* Some kernels list their data too. */
static bool is_function(unsigned long address)
{
	return is_core_text(address) || (address >= init_start && address < init_end);
}

static int visit_symbol(void *data, const char *name, struct module *module,
			unsigned long address)
{
	struct walk *walk = data;

	if (module || !is_function(address))
		return 0;
	return walk->visit(walk->context, name, strlen(name), address);
}

/* The self-test's own, if there are any, and they are on that side of the kernel's text. */
static int visit_natives(struct walk *walk, bool below)
{
	unsigned int number = 0;
	unsigned long native;
	int stop = 0;

	while (!stop && (native = trapline_native_site(number++)))
		if ((native < text_start) == below)
			stop = walk->visit(walk->context, TRAPLINE_NATIVE_NAME,
					   strlen(TRAPLINE_NATIVE_NAME), native);
	return stop;
}

static bool is_native(unsigned long address)
{
	unsigned int number = 0;
	unsigned long native;

	while ((native = trapline_native_site(number++)))
		if (native == address)
			return true;
	return false;
}

int shim_each_function(shim_visit_fn visit, void *context)
{
	struct walk walk = { .visit = visit, .context = context };
	int stop = visit_natives(&walk, true);

	if (!stop)
		stop = each_symbol(visit_symbol, &walk);
	return stop ? stop : visit_natives(&walk, false);
}

unsigned int shim_off_limits(unsigned long address)
{
	if (is_native(address))
		return 0;
	if (!is_core_text(address))
		return 1;
	if (is_blacklisted(address))
		return 2;
	return find_fixup(address) ? 3 : 0;
}

/* Text of the kernel proper: the tables that tell of it do not change, so no lock is taken. */
int shim_rewritten(unsigned long address)
{
	void *at = (void *)address;

	return is_ftraced(at, at) || is_jump_label(at, at) || trapline_rewritten(address);
}

size_t shim_ftrace_slot(unsigned long address)
{
	void *at = (void *)address;

	return is_ftraced(at, at) ? MCOUNT_INSN_SIZE : 0;
}

int shim_peek(unsigned long address, void *bytes, size_t length)
{
	return copy_from_kernel_nofault(bytes, (void *)address, length);
}
