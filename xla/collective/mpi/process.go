package mpi

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"
	"os"
	"strconv"
)

// process says where a rank runs: a hash of the machine and of its numbering of processes, the number, and a hash of
// when it began, since numbers are used again.
type process [24]byte

func thisProcess() process {
	var p process
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, _ := os.Readlink("/proc/self/ns/pid")
	binary.LittleEndian.PutUint64(p[:], hash(boot, []byte(space)))
	binary.LittleEndian.PutUint64(p[8:], uint64(os.Getpid()))
	binary.LittleEndian.PutUint64(p[16:], begun(os.Getpid()))
	return p
}

func hash(parts ...[]byte) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum64()
}

// begun is about when a process began; 0: there is none, or it has ended and nobody has asked how.
func begun(pid int) uint64 {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 || bytes.ContainsAny(fields[0], "ZX") {
		return 0
	}
	return hash(fields[19])
}

// dead reports whether p, which ran on the machine of self, is gone; of other machines it knows nothing.
func (p process) dead(self process) bool {
	if !bytes.Equal(p[:8], self[:8]) {
		return false
	}
	return begun(int(binary.LittleEndian.Uint64(p[8:]))) != binary.LittleEndian.Uint64(p[16:])
}
