/* opening.h: dlopen that names the file whose own code ends the process meanwhile. */
#ifndef HALO_DL_OPENING_H
#define HALO_DL_OPENING_H

// halo_dl_open is dlopen. If the library's code dies of a signal or calls exit while it is opened, its file is on the
// standard error before the process ends.
__attribute__((visibility("hidden"))) void *halo_dl_open(const char *file, int flags);

#endif
