/*
 * Intrusive lists: order, unlinking on the way, and the check against linking
 * a node twice.
 */
#include "emu/list.h"
#include "tests/child.h"

struct item {
	int value;
	struct list node;
};

static int digits(struct list *head)
{
	int number = 0;

	list_each (at, head)
		number = number * 10 +
			 container_of(at, struct item, node)->value;
	return number;
}

static void add_twice(void *arg)
{
	struct item item;
	struct list *head = arg;

	list_init(&item.node);
	list_add(&item.node, head);
	list_add(&item.node, head);
}

int main(void)
{
	struct item items[5];
	struct list head;

	list_init(&head);
	BUG_ON(!list_empty(&head));
	for (int i = 0; i < 5; i++) {
		items[i].value = i + 1;
		list_init(&items[i].node);
		if (i % 2)
			list_add(&items[i].node, &head);
		else
			list_add_tail(&items[i].node, &head);
	}
	BUG_ON(digits(&head) != 42135);
	BUG_ON(list_first(&head, struct item, node)->value != 4);
	BUG_ON(list_last(&head, struct item, node)->value != 5);

	list_each_safe (at, next, &head) {
		if (container_of(at, struct item, node)->value % 2 == 0)
			list_del(at);
	}
	BUG_ON(digits(&head) != 135);
	BUG_ON(!list_empty(&items[1].node));
	list_del(&items[1].node);
	list_add(&items[1].node, &items[0].node);
	BUG_ON(digits(&head) != 1235);

	BUG_ON(!child_aborts(add_twice, &head));
	for (int i = 0; i < 5; i++)
		list_del(&items[i].node);
	BUG_ON(!list_empty(&head));
	return 0;
}
