// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* /dev/dtrace: an open file is a consumer, which its release destroys. */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/security.h>
#include <linux/uaccess.h>
#include <linux/wait.h>

#include "internal.h"
#include "shim.h"
#include "trapline.h"

/* Bytes of the largest argument struct. */
#define BODY_MAX 752

static int consumer_of(struct file *file)
{
	return (int)(long)file->private_data;
}

/* A consumer can read all kernel memory and has kernel text patched, as with kprobes. */
static int device_open(struct inode *inode, struct file *file)
{
	int consumer = capable(CAP_SYS_ADMIN) ? security_locked_down(LOCKDOWN_KPROBES) : -EPERM;

	if (consumer)
		return consumer;
	consumer = trapline_open();
	if (consumer < 0)
		return consumer;
	file->private_data = (void *)(long)consumer;
	return nonseekable_open(inode, file);
}

static int device_release(struct inode *inode, struct file *file)
{
	trapline_close(consumer_of(file));
	return 0;
}

static long device_ioctl(struct file *file, unsigned int number,
			 unsigned long argument)
{
	u64 body[BODY_MAX / sizeof(u64)] = {};
	size_t length = _IOC_SIZE(number);
	void __user *user = (void __user *)argument;
	int error;

	if (length > sizeof(body))
		return -ENOTTY;
	if (copy_from_user(body, user, length))
		return -EFAULT;
	error = trapline_ioctl(consumer_of(file), number, body, length);
	/* After an error the struct may say more of it. */
	if (copy_to_user(user, body, length) && !error)
		error = -EFAULT;
	return error;
}

/* Waits until a thread that the consumer holds has to be told of. */
static ssize_t device_read(struct file *file, char __user *to, size_t length, loff_t *position)
{
	int consumer = consumer_of(file);
	struct shim_opened opened;

	if (length < sizeof(opened))
		return -EINVAL;
	if (file->f_flags & O_NONBLOCK) {
		if (!trapline_opened(consumer, &opened))
			return -EAGAIN;
	} else if (wait_event_interruptible(tl_held, trapline_opened(consumer, &opened))) {
		return -ERESTARTSYS;
	}
	return copy_to_user(to, &opened, sizeof(opened)) ? -EFAULT : sizeof(opened);
}

/* Whether a 64-bit address fits into a pointer. */
static bool is_pointer(u64 address)
{
	return (unsigned long)address == address;
}

/* The control lock is held, so this must not wait for a page fault. */
int shim_copy_to_user(u64 to, const void *from, size_t length)
{
	if (!is_pointer(to))
		return -EFAULT;
	return copy_to_user_nofault(u64_to_user_ptr(to), from, length) ? -EFAULT : 0;
}

int shim_bring_in(u64 address, size_t length)
{
	if (!is_pointer(address))
		return -EFAULT;
	return fault_in_writeable(u64_to_user_ptr(address), length) ? -EFAULT : 0;
}

int shim_copy_from_user(void *to, u64 from, size_t length)
{
	if (!is_pointer(from))
		return -EFAULT;
	return copy_from_user(to, u64_to_user_ptr(from), length) ? -EFAULT : 0;
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.open = device_open,
	.read = device_read,
	.release = device_release,
	.unlocked_ioctl = device_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "dtrace",
	.fops = &operations,
	.mode = 0600,
};

int tl_device_init(void)
{
	return misc_register(&device);
}

void tl_device_exit(void)
{
	misc_deregister(&device);
}
