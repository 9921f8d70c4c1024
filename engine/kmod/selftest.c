// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * The self-test's device, and the memory that a run accesses: the pages of the
 * instructions, a stack, and data. See selftest.h.
 */
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/thread_info.h>
#include <linux/uaccess.h>

#include "selftest.h"
#include "internal.h"
#include "shim.h"

/* The number of sites, and the offset of each in its page. */
#define SITES 32
#define SITE_OFFSET 2048

/* The part of the stack that is copied in and out of a run: its size and offset. */
#define STACK_SEEN 2048
#define STACK_OFFSET (THREAD_SIZE - 3072)

/* Aligned like a real stack: kernels detect an overflow by a bit of the address. */
#define STACK_ORDER (THREAD_SIZE_ORDER + 1)

#define DATA_SIZE 16384

/* NATIVE_PLACES: takes a site's number, returns its addresses. */
struct native_places {
	u64 number;
	u64 site;
	u64 page;
	u64 stack;
	u64 stack_size;
	u64 data;
	u64 data_size;
};

/* NATIVE_RUN: the architecture's state, followed by this; input and output of a run. */
struct native_memory {
	u8 stack[STACK_SEEN];
	u8 data[DATA_SIZE];
};

/* NATIVE_PAGE: the new contents of a page. */
struct native_page {
	u64 number;
	u8 bytes[4096];
};

#define NATIVE_PLACES _IOWR('N', 0, struct native_places)
#define NATIVE_PAGE _IOW('N', 1, struct native_page)
#define NATIVE_RUN _IO('N', 2)

/* In ascending order. */
static unsigned long pages[SITES];
static void *stack;

/* In the module's data, where pc-relative instructions of the pages can reach it. */
static u8 data[DATA_SIZE] __aligned(PAGE_SIZE);

/* Serialises runs, and opening the device with closing it. */
static DEFINE_MUTEX(one);

/* How often it is open: the hook may be a change of the kernel's text, which only runs need. */
static unsigned int opened;

static void execute(void *state)
{
	struct native_memory *memory = state + trapline_native.state;

	memcpy(stack + STACK_OFFSET, memory->stack, STACK_SEEN);
	memcpy(data, memory->data, DATA_SIZE);
	trapline_native.run(state);
	memcpy(memory->stack, stack + STACK_OFFSET, STACK_SEEN);
	memcpy(memory->data, data, DATA_SIZE);
}

static long run(void __user *user)
{
	size_t size = trapline_native.state + sizeof(struct native_memory);
	void *state = memdup_user(user, size);
	long error;

	if (IS_ERR(state))
		return PTR_ERR(state);
	mutex_lock(&one);
	execute(state);
	mutex_unlock(&one);
	error = copy_to_user(user, state, size) ? -EFAULT : 0;
	kfree(state);
	return error;
}

static long fill_page(void __user *user)
{
	struct native_page *filled = memdup_user(user, sizeof(*filled));
	long error = 0;

	if (IS_ERR(filled))
		return PTR_ERR(filled);
	if (filled->number < SITES) {
		shim_code_write(pages[filled->number], filled->bytes, PAGE_SIZE);
		shim_code_flush(pages[filled->number], PAGE_SIZE);
	} else {
		error = -ERANGE;
	}
	kfree(filled);
	return error;
}

static long places(void __user *user)
{
	struct native_places places;

	if (copy_from_user(&places, user, sizeof(places)))
		return -EFAULT;
	if (places.number >= SITES)
		return -ERANGE;
	places.site = tl_selftest_site(places.number);
	places.page = pages[places.number];
	places.stack = (unsigned long)stack + STACK_OFFSET;
	places.stack_size = STACK_SEEN;
	places.data = (unsigned long)data;
	places.data_size = DATA_SIZE;
	return copy_to_user(user, &places, sizeof(places)) ? -EFAULT : 0;
}

static long request(struct file *file, unsigned int number, unsigned long argument)
{
	switch (number) {
	case NATIVE_PLACES:
		return places((void __user *)argument);
	case NATIVE_PAGE:
		return fill_page((void __user *)argument);
	case NATIVE_RUN:
		return run((void __user *)argument);
	default:
		return -ENOTTY;
	}
}

static int native_open(struct inode *inode, struct file *file)
{
	int error = 0;

	mutex_lock(&one);
	if (!opened) {
		shim_lock();
		error = trapline_native.hook();
		shim_unlock();
	}
	if (!error)
		opened++;
	mutex_unlock(&one);
	return error;
}

static int native_release(struct inode *inode, struct file *file)
{
	mutex_lock(&one);
	if (!--opened) {
		shim_lock();
		trapline_native.unhook();
		shim_unlock();
	}
	mutex_unlock(&one);
	return 0;
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.open = native_open,
	.release = native_release,
	.unlocked_ioctl = request,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "trapline-native",
	.mode = 0600,
	.fops = &operations,
};

unsigned long tl_selftest_site(unsigned int number)
{
	return number < SITES ? pages[number] + SITE_OFFSET : 0;
}

void tl_selftest_release(void)
{
	unsigned int number;

	free_pages((unsigned long)stack, STACK_ORDER);
	for (number = 0; number < SITES; number++)
		if (pages[number])
			shim_code_free(pages[number]);
}

static int by_address(const void *one, const void *other)
{
	unsigned long left = *(const unsigned long *)one;
	unsigned long right = *(const unsigned long *)other;

	return left < right ? -1 : left > right;
}

/* Sorts the pages, since functions are listed in the order of their addresses. */
static int prepare_pages(void)
{
	unsigned long site;
	unsigned int number;

	for (number = 0; number < SITES; number++) {
		pages[number] = shim_code_alloc();
		if (!pages[number])
			return -ENOMEM;
		site = tl_selftest_site(number);
		shim_code_write(site, trapline_native.first, trapline_native.first_length);
		shim_code_flush(site, trapline_native.first_length);
	}
	sort(pages, SITES, sizeof(*pages), by_address, NULL);
	return 0;
}

int tl_selftest_prepare(void)
{
	int error = trapline_native.prepare();

	if (error)
		return error;
	stack = (void *)__get_free_pages(GFP_KERNEL, STACK_ORDER);
	error = stack ? prepare_pages() : -ENOMEM;
	if (error)
		tl_selftest_release();
	return error;
}

int tl_selftest_init(void)
{
	return misc_register(&device);
}

void tl_selftest_exit(void)
{
	misc_deregister(&device);
}
