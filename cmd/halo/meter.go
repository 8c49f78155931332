package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

const residentHelp = `The resident set (rss_bytes_first and rss_bytes_last) is that after a tenth of the runs
and at the end, each the greatest of 32 readings in a tenth of the runs: it goes up and down with the
garbage collector's cycles. Processes that the tool has started count, too.
`

// meter hands out runs to goroutines and counts their times. It needs no memory for them, so that the resident set is
// the program's.
type meter struct {
	times    histogram
	next     atomic.Int64
	runs     int64 // 0: until the duration is over
	each     int64 // so many are timed together
	begin    time.Time
	duration time.Duration
	slot     atomic.Int64 // of the last look

	mu          sync.Mutex
	resident    resident
	first, last int64 // the resident set
	threads     int64
}

// minRuns are made however short the time is.
const minRuns = 5

// A benchmark has so many slots, in each of which the meter looks at the process once. The resident set of firstSlots
// is the first, that of lastSlots the last: the greatest that is seen in a tenth of the work, since it goes up and down
// with the collector's cycles.
const slots = 320

var firstSlots, lastSlots = [2]int64{slots / 10, slots / 5}, [2]int64{slots * 9 / 10, slots + 1}

// newMeter begins a benchmark of so many runs, or, if they are 0, of so many seconds; each so many runs are timed
// together. The caller closes it.
func newMeter(runs int64, seconds float64, each int64) *meter {
	return &meter{runs: runs, each: each, resident: openResident(), begin: time.Now(),
		duration: time.Duration(seconds * float64(time.Second))}
}

func (m *meter) close() { m.resident.close() }

// loop has f make runs until time or runs are used up; f is told how many.
func (m *meter) loop(f func(count int64) error) error {
	for {
		i, now := m.next.Add(m.each)-m.each, time.Now()
		if m.runs > 0 && i >= m.runs || m.runs == 0 && i >= minRuns && now.Sub(m.begin) >= m.duration {
			return nil
		}
		count := m.each
		if m.runs > 0 {
			count = min(count, m.runs-i)
		}
		if err := f(count); err != nil {
			return err
		}
		m.times.add(time.Since(now), count)
		m.perhapsLook(i, now)
	}
}

// perhapsLook looks at the process if nobody has in this slot.
func (m *meter) perhapsLook(i int64, now time.Time) {
	slot := int64(slots * float64(now.Sub(m.begin)) / float64(m.duration))
	if m.runs > 0 {
		slot = slots * i / m.runs
	}
	if old := m.slot.Load(); slot > old && m.slot.CompareAndSwap(old, slot) {
		m.look(slot)
	}
}

// look takes the resident set and the number of threads.
func (m *meter) look(slot int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	bytes := m.resident.bytes()
	if m.first == 0 || firstSlots[0] <= slot && slot < firstSlots[1] {
		m.first = max(m.first, bytes)
	}
	if lastSlots[0] <= slot && slot < lastSlots[1] {
		m.last = max(m.last, bytes)
	}
	if slot%(slots/10) == 0 {
		m.threads = max(m.threads, osThreads())
	}
}

func millis(since time.Time) float64 { return time.Since(since).Seconds() * 1e3 }

// resident reads the resident sets of this process and of those that it has started. What it needs for that it has from
// the beginning.
type resident struct {
	files  []*os.File // none where the system does not tell
	buffer *[128]byte
}

func openResident() resident {
	r := resident{buffer: new([128]byte)}
	for _, process := range append(children(), "/proc/self") {
		if f, err := os.Open(process + "/statm"); err == nil {
			r.files = append(r.files, f)
		}
	}
	return r
}

// children are the folders of the processes that this one has started.
func children() (list []string) {
	self := strconv.Itoa(os.Getpid())
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, process := range all {
		text, _ := os.ReadFile(process + "/stat") // "12 (name) S 5 ...": 5 has started it
		name := bytes.LastIndexByte(text, ')')
		if f := bytes.Fields(text[name+1:]); len(f) > 1 && string(f[1]) == self {
			list = append(list, process)
		}
	}
	return list
}

// bytes returns the resident set, 0 where the system does not tell.
func (r resident) bytes() int64 {
	pages := int64(0)
	for _, f := range r.files {
		n, _ := f.ReadAt(r.buffer[:], 0)
		pages += secondField(r.buffer[:n])
	}
	return pages * int64(os.Getpagesize())
}

// secondField reads the second of some numbers.
func secondField(text []byte) (number int64) {
	field := 0
	for _, c := range text {
		switch {
		case c == ' ':
			field++
		case field == 1:
			number = 10*number + int64(c-'0')
		}
	}
	return number
}

func (r resident) close() {
	for _, f := range r.files {
		f.Close()
	}
}

// osThreads is how many threads the process has, 0 where the system does not tell.
func osThreads() int64 {
	entries, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return 0
	}
	return int64(len(entries))
}

// megabytes is a number of bytes for people.
func megabytes(n int64) string { return fmt.Sprintf("%.2f MB", float64(n)/1e6) }
