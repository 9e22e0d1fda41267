/*
 * Intrusive doubly linked lists. A head is a node that belongs to no object;
 * an empty list points at itself, and so does a node that is on no list.
 */
#pragma once

#include "emu/bug.h"
#include "emu/types.h"

struct list {
	struct list *next;
	struct list *prev;
};

static inline void list_init(struct list *l)
{
	l->next = l;
	l->prev = l;
}

static inline bool list_empty(const struct list *l)
{
	return l->next == l;
}

static inline void list_insert_between(struct list *node, struct list *prev,
				       struct list *next)
{
	BUG_ON(node->next != node);
	node->next = next;
	node->prev = prev;
	next->prev = node;
	prev->next = node;
}

/* Put an unlinked node right after the head (or after any other node). */
static inline void list_add(struct list *node, struct list *head)
{
	list_insert_between(node, head, head->next);
}

/* Put an unlinked node right before the head: the end of the queue. */
static inline void list_add_tail(struct list *node, struct list *head)
{
	list_insert_between(node, head->prev, head);
}

/* Unlink a node; harmless for one that is on no list. */
static inline void list_del(struct list *node)
{
	node->next->prev = node->prev;
	node->prev->next = node->next;
	list_init(node);
}

#define list_first(head, type, member) container_of((head)->next, type, member)
#define list_last(head, type, member)  container_of((head)->prev, type, member)

/* NOLINTBEGIN(bugprone-macro-parentheses): a loop's variable is declared. */
#define list_each(pos, head) \
	for (struct list *pos = (head)->next; pos != (head); pos = pos->next)

/* The body may unlink pos, and only pos. */
#define list_each_safe(pos, tmp, head)                                         \
	for (struct list *pos = (head)->next, *tmp = pos->next; pos != (head); \
	     pos = tmp, tmp = pos->next)
/* NOLINTEND(bugprone-macro-parentheses) */
