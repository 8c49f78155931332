// Package mpi sends bytes between the processes of one job by MPI, Open MPI's or MPICH's, which is opened at run time.
// Nothing in it blocks but starting and ending the job.
package mpi

import "fmt"

// The families of MPIs that share an ABI, as $HALO_MPI names them.
const (
	OpenMPI = "openmpi"
	MPICH   = "mpich"
)

// Memory is bytes outside Go, which MPI may read and write while an operation is under way.
type Memory struct{ bytes []byte }

// Bytes returns the memory itself, which is not to be used once it is freed.
func (m Memory) Bytes() []byte { return m.bytes }

// Any is a Receive's from that takes from any rank.
const Any = -1

// MaxTag is the greatest tag that every MPI has.
const MaxTag = 32767

// Error is what MPI says of a fault.
type Error struct {
	Code int
	Text string
}

// Error returns MPI's text.
func (e *Error) Error() string { return fmt.Sprintf("mpi: %s (code %d)", e.Text, e.Code) }
