// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * The kernel's modules: the list of those loaded, and the module notifier. Until the
 * engine exists the notifier blocks, and with it every module that is being loaded or
 * unloaded. So a module that the engine lists while it is being created cannot go away
 * meanwhile, and none is missed. One that is both listed and notified is ignored the
 * second time.
 */
#include <linux/completion.h>
#include <linux/jump_label.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/preempt.h>
#include <linux/rculist.h>
#include <linux/static_call.h>
#include <linux/string.h>

#include "compat/module.h"
#include "internal.h"
#include "shim.h"
#include "trapline.h"
#include "unexported.h"

UNEXPORTED(__module_address);

static DECLARE_COMPLETION(begun);
static bool engine_is_there;

bool tl_is_module_text(unsigned long address)
{
	struct module *module;
	bool is_text;

	preempt_disable();
	module = tl_unexported(__module_address)(address);
	is_text = module && module != THIS_MODULE && compat_is_core_text(module, address);
	preempt_enable();
	return is_text;
}

static bool has_jump_label(const struct module *module, unsigned long address)
{
	const struct jump_entry *label = module->jump_entries;
	const struct jump_entry *end = label + module->num_jump_entries;

	for (; label < end; label++)
		if (jump_entry_code(label) == address)
			return true;
	return false;
}

static bool has_static_call(const struct module *module, unsigned long address)
{
#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
	const struct static_call_site *site = module->static_call_sites;
	const struct static_call_site *end = site + module->num_static_call_sites;

	for (; site < end; site++)
		if ((unsigned long)&site->addr + site->addr == address)
			return true;
#endif
	return false;
}

/*
 * Searches the module's own tables. The kernel's functions search its tables first, and call
 * for each entry functions that can be probed: with all of them armed, checking a small module
 * would cost ten million firings.
 */
bool tl_is_module_rewritten(unsigned long address)
{
	struct module *module;
	bool is_rewritten;

	preempt_disable();
	module = tl_unexported(__module_address)(address);
	is_rewritten = module && (has_jump_label(module, address) || has_static_call(module, address));
	preempt_enable();
	return is_rewritten;
}

/*
 * The list head is on the ring too, but is not part of a module. __module_address() finds
 * a module by the address of its struct module, which is in its data, except early in its
 * loading.
 */
static bool is_up(struct list_head *node)
{
	struct module *module = list_entry(node, struct module, list);

	return tl_unexported(__module_address)((unsigned long)node) == module &&
	       (module->state == MODULE_STATE_LIVE || module->state == MODULE_STATE_COMING);
}

/* The next module on the ring that is up; ends at this module. */
static struct list_head *next_up(struct list_head *node)
{
	preempt_disable();
	do
		node = rcu_dereference_sched(list_next_rcu(node));
	while (node != &THIS_MODULE->list && !is_up(node));
	preempt_enable();
	return node;
}

/*
 * `visit` may sleep: no module that it is shown can go away before tl_modules_begin()
 * lets the notifier proceed.
 */
int shim_each_module(shim_module_fn visit, void *context)
{
	struct list_head *node = &THIS_MODULE->list;
	int stop = 0;

	while (!stop && (node = next_up(node)) != &THIS_MODULE->list) {
		struct module *module = list_entry(node, struct module, list);

		stop = visit(context, (unsigned long)module, module->name, strlen(module->name));
	}
	return stop;
}

/*
 * Of the module's two symbol tables, this is the one without init symbols, which lives
 * as long as the module.
 */
int tl_each_function_of(unsigned long number, shim_visit_fn visit, void *context)
{
	struct module *module = (struct module *)number;
	const struct mod_kallsyms *table = &module->core_kallsyms;
	unsigned int i;
	int stop = 0;

	for (i = 1; !stop && i < table->num_symtab; i++) {
		const Elf_Sym *symbol = &table->symtab[i];
		const char *name = table->strtab + symbol->st_name;

		if (ELF_ST_TYPE(symbol->st_info) == STT_FUNC &&
		    compat_is_core_text(module, symbol->st_value))
			stop = visit(context, name, strlen(name), symbol->st_value,
				     symbol->st_size);
	}
	return stop;
}

static int module_changed(struct notifier_block *self, unsigned long event, void *data)
{
	struct module *module = data;

	if (event != MODULE_STATE_COMING && event != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	wait_for_completion(&begun);
	if (!engine_is_there)
		return NOTIFY_DONE;
	if (event == MODULE_STATE_COMING)
		trapline_module_coming((unsigned long)module, module->name, strlen(module->name));
	else
		trapline_module_going((unsigned long)module);
	return NOTIFY_OK;
}

/*
 * Lowest priority: on MODULE_STATE_COMING, jump labels, static calls and the kprobe
 * blacklist have been set up by then. MODULE_STATE_GOING also comes for a module whose
 * init has failed.
 */
static struct notifier_block notifier = {
	.notifier_call = module_changed,
	.priority = INT_MIN,
};

int tl_modules_init(void)
{
	return tl_resolve(__module_address) ? register_module_notifier(&notifier) : -ENOENT;
}

void tl_modules_begin(bool is_there)
{
	engine_is_there = is_there;
	complete_all(&begun);
}

void tl_modules_exit(void)
{
	unregister_module_notifier(&notifier);
}
