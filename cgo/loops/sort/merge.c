//go:build linux
// merge.c: the order of a row by a program. The steps are those of the reference, a merge sort of halves, so that the
// result is the same even where the program is no order.
#include "sort.h"

// The comparator of one task.
typedef struct {
  const sort_row *row;
  const halo_program *program;
  halo_reg *registers;
  halo_stream *streams;
  char **x, **y;
  int64_t start;
  int64_t calls;
  int cancelled;
} comparator;

static int less(comparator *c, uint32_t i, uint32_t j) {
  if ((++c->calls & 1023) == 0) c->cancelled = c->cancelled || *c->row->run->cancel;
  if (c->cancelled) return 0;
  const sort_array *array = (const sort_array *)(c->row->record + 1);
  const int64_t stride = c->row->stride;
  for (int64_t k = 0; k < c->row->record->arrays; k++) {
    char *p = HALO_AT(c->row->run, array[k].src);
    c->x[k] = p + (c->start + i * stride) * array[k].width;
    c->y[k] = p + (c->start + j * stride) * array[k].width;
  }
  return halo_less(c->program, c->registers, c->streams, c->x, c->y);
}

// merge_halves merges the sorted halves of v.
static void merge_halves(comparator *c, uint32_t *v, uint32_t *spare, int64_t n) {
  const int64_t half = n / 2;
  if (!less(c, v[half], v[half - 1])) return;
  memcpy(spare, v, half * sizeof *v);
  for (int64_t i = 0, j = half, k = 0; i < half; k++) {
    if (j < n && less(c, v[j], spare[i])) v[k] = v[j++];
    else v[k] = spare[i++];
  }
}

static void merge_sort(comparator *c, uint32_t *v, uint32_t *spare, int64_t n) {
  if (n <= 8) {
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = i; j > 0 && less(c, v[j], v[j - 1]); j--) {
        const uint32_t t = v[j];
        v[j] = v[j - 1], v[j - 1] = t;
      }
    return;
  }
  merge_sort(c, v, spare, n / 2);
  merge_sort(c, v + n / 2, spare + n / 2, n - n / 2);
  merge_halves(c, v, spare, n);
}

// A level of halves of halves; at the lowest they are sorted, above it merged.
typedef struct {
  comparator like;
  uint32_t *perm, *spare;
  int level, lowest;
} level;

static void level_task(void *arg, int64_t i) {
  const level *l = arg;
  comparator c = l->like;
  halo_reg stack[HALO_STACK_REGISTERS];
  int64_t first = 0, n = c.row->n;
  for (int b = l->level - 1; b >= 0; b--) {
    if (i >> b & 1) first += n / 2, n -= n / 2;
    else n /= 2;
  }
  c.registers = halo_registers(c.program, stack);
  c.streams = malloc(sizeof *c.streams * c.program->streams);
  c.x = malloc(sizeof *c.x * 2 * c.row->record->arrays);
  if (!c.registers || !c.streams || !c.x) {
    halo_fail(c.row->run, "sort: out of memory");
  } else {
    c.y = c.x + c.row->record->arrays;
    if (l->lowest) merge_sort(&c, l->perm + first, l->spare + first, n);
    else merge_halves(&c, l->perm + first, l->spare + first, n);
  }
  free(c.x);
  free(c.streams);
  if (c.registers) halo_registers_free(c.registers, stack);
}

void sort_merge(sort_row *row, const halo_program *program, int64_t start, uint32_t *perm, uint32_t *spare) {
  level l = {.like = {.row = row, .program = program, .start = start}, .perm = perm, .spare = spare, .lowest = 1};
  for (int64_t i = 0; i < row->n; i++) perm[i] = (uint32_t)i;
  int levels = 0;
  while (row->chunk < row->n && row->n >> levels > 8192 && levels < 5) levels++;
  for (l.level = levels; l.level >= 0 && !*row->run->cancel; l.level--, l.lowest = 0) {
    if (l.level > 0) row->run->parallel(row->run, 1 << l.level, level_task, &l);
    else level_task(&l, 0);
  }
}
