// Package heap tells how much memory the C code of this process has allocated and not freed.
package heap
