// pieces.h: programs whose places are all alike, a piece at a time.
#ifndef HALO_PIECES_H
#define HALO_PIECES_H

#include "streams.h"

// halo_pieces is one run of a record. The last of its outputs are temps: they go wherever a piece says.
typedef struct {
  const halo_pipeline_record *r;
  halo_space space;
  const halo_stream *streams;
  const halo_stage *stages;
  uint32_t past; // which of the first 32 outputs go past the caches when they are converted
  int bypass;    // some do, or the stages are those of halo_bypass
  int32_t temps;
  int64_t room; // bytes of one: a block, or two if there are streams of pairs
} halo_pieces;

// halo_piece_room is what a task has of its own: halo_piece_room_bytes of it.
typedef struct {
  halo_loop loop;
  halo_pieces job; // with the streams below
  char *p[HALO_POINTERS], *rooms;
} halo_piece_room;

halo_pieces halo_pieces_of(const halo_pipeline_record *, halo_run *, int32_t temps);
int64_t halo_piece_room_bytes(const halo_pieces *);
void halo_piece_begin(const halo_pieces *, halo_piece_room *);

// halo_piece runs the program on n places from place at on; their elements of temp i go to to[i].
void halo_piece(const halo_pieces *, halo_piece_room *, int64_t at, int64_t n, char *const *to);

// halo_temp_bytes is how large an element of temp i is.
static inline int64_t halo_temp_bytes(const halo_pieces *w, int64_t i) {
  return w->streams[w->r->streams + w->r->outputs - w->temps + i].size;
}

#endif
