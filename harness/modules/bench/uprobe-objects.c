// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* Compiles where a uprobe is registered as an object. */
#include <linux/fs.h>
#include <linux/uprobes.h>

struct uprobe *probe(struct inode *inode, struct uprobe_consumer *consumer);
struct uprobe *probe(struct inode *inode, struct uprobe_consumer *consumer)
{
	struct uprobe *uprobe = uprobe_register(inode, 0, 0, consumer);

	uprobe_unregister_nosync(uprobe, consumer);
	uprobe_unregister_sync();
	return uprobe;
}
