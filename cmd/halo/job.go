package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/collective/mpi"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// inJob does what a command is for, in the job that a launcher has started, if one has. wrong is what is wrong with the
// command's words, which ranks say once.
func (t *tool) inJob(wrong error, do func() error) error {
	if errors.Is(wrong, flag.ErrHelp) {
		return wrong
	}
	leave, err := t.joinJob()
	if err != nil {
		return cmp.Or(wrong, err)
	}
	if wrong != nil {
		return leave(t.ready(wrong))
	}
	return leave(do())
}

// joinJob makes the tool a rank of the job that a launcher has started, if one has: the devices of programs are in all
// ranks then, and the first speaks for all. What it returns is for the end.
func (t *tool) joinJob() (leave func(error) error, _ error) {
	if t.job != nil || !mpi.Launched() {
		return func(err error) error { return err }, nil
	}
	transport, err := mpi.Start(mpi.Options{})
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, &exitError{exitMissing, err}
	}
	if err != nil {
		return nil, err
	}
	t.useJob(collective.NewJob(transport))
	return func(err error) error {
		if agreed := (*agreedError)(nil); err != nil && !errors.Is(err, errSilent) && !errors.As(err, &agreed) {
			t.job.Fail(err)
			err = &exitError{codeOf(err), fmt.Errorf("rank %d: %w", t.job.Rank(), err)}
		}
		if closing := transport.Close(); err == nil {
			err = closing
		}
		return err
	}, nil
}

func (t *tool) useJob(j *collective.Job) {
	if t.job = j; j.Rank() > 0 {
		t.stdout = io.Discard
	}
}

// agreedError is an error that all ranks know of, which end together.
type agreedError struct{ error }

func (e *agreedError) Unwrap() error { return e.error }

// ready ends what the ranks of a job do before they begin together; err is how it went on this one. If it went wrong
// anywhere, it fails on all, with the code of the first rank that is not ready; what several say, one says.
func (t *tool) ready(err error) error {
	if t.job == nil {
		return err
	}
	var mine []byte
	if err != nil {
		mine = fmt.Appendf(nil, "%d %v", codeOf(err), err)
	}
	all, gathering := t.job.Gather(t.ctx, mine)
	if gathering != nil {
		return cmp.Or(err, gathering)
	}
	first := slices.IndexFunc(all, func(said []byte) bool { return len(said) > 0 })
	if first < 0 {
		return nil
	}
	var code int
	_, _ = fmt.Sscan(string(all[first]), &code)
	return &exitError{code, &agreedError{t.own(err, mine, all)}}
}

// own is the error of this rank if it is the first with that one, of those that all say; else there is nothing to say.
func (t *tool) own(err error, mine []byte, all [][]byte) error {
	same := func(said []byte) bool { return bytes.Equal(said, mine) }
	switch {
	case err == nil || slices.IndexFunc(all, same) != t.job.Rank():
		return errSilent
	case slices.ContainsFunc(all, func(said []byte) bool { return !same(said) }):
		return fmt.Errorf("rank %d: %w", t.job.Rank(), err)
	}
	return err
}

// speaks reports whether this process writes what the program gives.
func (t *tool) speaks() bool { return t.job == nil || t.job.Rank() == 0 }

// clientFor returns a client that has n devices, over all ranks of a job.
func clientFor(backend xla.Backend, h handlers, job *collective.Job, n int) (*xla.Client, error) {
	if job != nil {
		n = (n + job.Ranks() - 1) / job.Ranks()
	}
	return xla.NewClient(backend, xla.ClientOptions{Handlers: h.all(), Devices: n, Job: job})
}

// shareResults fills in the results of the devices in other processes; all ranks of the job call it.
func shareResults(ctx context.Context, job *collective.Job, exe *xla.Executable, results [][]*literal.Literal) error {
	if job == nil || len(results) == 1 {
		return nil
	}
	owners, whole := make([]int, len(results)), make([]*literal.Literal, len(results))
	for d, dev := range exe.Devices() {
		owners[d], whole[d] = dev.Rank(), literal.NewTuple(results[d]...)
	}
	err := hlo.ShareResults(ctx, job, owners, whole)
	for d, l := range whole {
		results[d] = l.Elems()
	}
	return err
}

// forDevice returns words of the command line with the device's number for %d.
func forDevice(words []string, d int) []string {
	out := slices.Clone(words)
	for i := range out {
		out[i] = strings.ReplaceAll(out[i], "%d", strconv.Itoa(d))
	}
	return out
}
