// rows.h: programs over the rows of a space.
//
// Such a program has phases. Some sweep over the places of a row, block by block, and may reduce them to one value;
// the others work on such values of many rows at once, a lane for each row. A tile of rows goes through all phases
// before the next one begins, so that each array is read from memory once.
//
// Pointers are numbered: streams, outputs, saved values (which have a lane for each place of a tile), rooms.
#ifndef HALO_ROWS_H
#define HALO_ROWS_H

#include "pipeline.h"

typedef struct {
  int32_t sweeps;        // over places, once for each row; 0: over the rows of a tile
  int32_t stage, stages; // the first, and how many
  int32_t use, uses;     // numbers: the pointers that move; of a phase over rows the outputs
  int32_t splat, splats; // numbers: a room of values of rows, one that is filled with that of the row, and 0 if the
                         // pointer of the second may as well point at the one value
  int32_t fold, folds;   // numbers: a reducer, the room of its accumulator, the room of the rows' values
  int32_t stores;        // of the stages: the last ones, if there is a made function
  halo_made plain, past; // do what the stages do, a number of places or rows that is one of units; null: there are none
  int64_t unit;
} halo_phase;

typedef struct {
  halo_record head;
  int64_t rows, row;  // the space is so many rows of so many places
  int64_t chunk;      // places that are swept at once: a row, or less in a program that sweeps once
  int64_t tile, group; // rows of a tile and of a task
  int64_t dims[HALO_MAX_RANK];
  int32_t rank, lead; // dimensions, and how many of them count rows
  int32_t level, lane;
  int32_t streams, outputs, saved, rooms; // pointers
  int32_t mask;                           // number of the room that says which lanes count
  int32_t phases, stages;
  void (*staggered)(const halo_staggered *);         // takes rows through all phases; null: nothing does
  // Numbers of the streams that it takes, 0 where it takes none, -1 of a factor.
  int32_t in, scale, offset, factor, count, epsilon, init, start, beside, other;
  int32_t divides, refuses, near; // what it does with the factor and with what is beside a row; the rows of its rooms
  int32_t rounds; // the first of the stages that make elements of lanes, at mask, where those are others; else 0
  // streams and outputs, phases, stages and numbers follow
} halo_rows_record;

void halo_rows(const halo_record *, halo_run *);

#endif
