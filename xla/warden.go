package xla

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// warden tells of a buffer that is dropped without Close: only the buffer points at it, and its clean-up closes what it
// watches. It serves one buffer after the other, since a clean-up of its own for each would take a lock of the whole
// process twice.
type warden struct{ watched *atomic.Pointer[bufferState] }

// wardens are those that watch nothing.
var wardens = sync.Pool{New: func() any {
	w := &warden{new(atomic.Pointer[bufferState])}
	runtime.AddCleanup(w, reportLeak, w.watched)
	return w
}}

// watch returns a warden of st.
func watch(st *bufferState) *warden {
	w := wardens.Get().(*warden)
	w.watched.Store(st)
	return w
}

// dismiss ends the warden's watch.
func (w *warden) dismiss() {
	w.watched.Store(nil)
	wardens.Put(w)
}

func reportLeak(watched *atomic.Pointer[bufferState]) {
	if st := watched.Load(); st != nil && st.release() {
		st.client.warnLeak("buffer " + st.shape().String())
	}
}
