// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Reports page permissions. Writing the hexadecimal address of a vmalloc or
 * module page to /proc/trapline-pages selects it; reading returns what the
 * kernel may do at that address, and at the page's address in the linear map.
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "pages.h"

static unsigned long asked;

static void say(struct seq_file *file, const char *what, unsigned long address)
{
	struct rights rights = pages_rights(address);

	seq_printf(file, "%s %s%s%s\n", what, rights.mapped ? "r" : "-",
		   rights.write ? "w" : "-", rights.execute ? "x" : "-");
}

static int pages_show(struct seq_file *file, void *unused)
{
	struct page *page;

	say(file, "there", asked);
	if (!pages_rights(asked).mapped)
		return 0;
	page = vmalloc_to_page((void *)asked);
	if (page && page_address(page))
		say(file, "again", (unsigned long)page_address(page));
	return 0;
}

static ssize_t pages_write(struct file *file, const char __user *text, size_t size, loff_t *at)
{
	int error = kstrtoul_from_user(text, size, 16, &asked);

	return error ?: size;
}

static int pages_open(struct inode *inode, struct file *file)
{
	return single_open(file, pages_show, NULL);
}

static const struct proc_ops pages_ops = {
	.proc_open = pages_open,
	.proc_read = seq_read,
	.proc_write = pages_write,
	.proc_lseek = seq_lseek,
	.proc_release = single_release,
};

static int __init pages_begin(void)
{
	return proc_create("trapline-pages", 0600, NULL, &pages_ops) ? 0 : -ENOMEM;
}

static void __exit pages_end(void)
{
	remove_proc_entry("trapline-pages", NULL);
}

module_init(pages_begin);
module_exit(pages_end);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("Page table permissions of an address");
