// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * The kernel's modules: which there are, and the notifier that tells of each that
 * comes and goes. It tells of nothing before the engine is there; who comes or
 * goes meanwhile waits. So each module that is there when the engine first looks
 * stays as long as it does, and none is missed or known twice.
 */
#include <linux/completion.h>
#include <linux/jump_label.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/preempt.h>
#include <linux/rculist.h>
#include <linux/static_call.h>
#include <linux/string.h>

#include "internal.h"
#include "shim.h"

static typeof(&__module_address) module_at;

static DECLARE_COMPLETION(begun);
static bool engine_is_there;

/* Code that is left when the module's initialisation is over. */
static bool is_core_text_of(const struct module *module, unsigned long address)
{
	const struct module_layout *core = &module->core_layout;

	return address - (unsigned long)core->base < core->text_size;
}

bool tl_is_module_text(unsigned long address)
{
	struct module *module;
	bool is_text;

	preempt_disable();
	module = module_at(address);
	is_text = module && module != THIS_MODULE && is_core_text_of(module, address);
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
 * The kernel can be asked, but looks through its own tables before the module's, and what it calls for each
 * row can be probed: while all of it is, the text of a small module would cost ten million firings.
 */
bool tl_is_module_rewritten(unsigned long address)
{
	struct module *module;
	bool is_rewritten;

	preempt_disable();
	module = module_at(address);
	is_rewritten = module && (has_jump_label(module, address) || has_static_call(module, address));
	preempt_enable();
	return is_rewritten;
}

/*
 * The ring of all modules has one node that is none. A module is found by the
 * address of its own structure, unless it is only half up.
 */
static bool is_up(struct list_head *node)
{
	struct module *module = list_entry(node, struct module, list);

	return module_at((unsigned long)node) == module &&
	       (module->state == MODULE_STATE_LIVE || module->state == MODULE_STATE_COMING);
}

/* The next one in the ring that is up, at the latest this module itself. */
static struct list_head *next_up(struct list_head *node)
{
	preempt_disable();
	do
		node = rcu_dereference_sched(list_next_rcu(node));
	while (node != &THIS_MODULE->list && !is_up(node));
	preempt_enable();
	return node;
}

/* Who visits may sleep: none of those shown can go before the notifier has been let through. */
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
 * The kernel keeps two tables of a module's symbols: this one does not list what is
 * freed after initialisation, and stays as long as the module does.
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
		    is_core_text_of(module, symbol->st_value))
			stop = visit(context, name, strlen(name), symbol->st_value,
				     symbol->st_size);
	}
	return stop;
}

static int told(struct notifier_block *self, unsigned long event, void *data)
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
 * The last that hears of one that comes: jump labels, static calls and the
 * kernel's blacklist have been looked after then. A module whose initialisation
 * failed goes, too.
 */
static struct notifier_block notifier = {
	.notifier_call = told,
	.priority = INT_MIN,
};

int tl_modules_init(void)
{
	module_at = (void *)tl_symbol("__module_address");
	return module_at ? register_module_notifier(&notifier) : -ENOENT;
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
