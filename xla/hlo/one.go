package hlo

import (
	"context"
	"errors"

	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/literal"
)

// Place is where an execution stands among several devices. The zero value is the only device.
type Place struct {
	Grid collective.Grid
	// Device is the device's number, replica-major.
	Device int
	// Hub is where the devices of the execution meet; nil for the only device.
	Hub *collective.Hub
}

// NewEvaluator returns an evaluator of single instructions for one execution on one device: what random numbers and
// collectives remember lives as long as it. It is for one goroutine.
func NewEvaluator(ctx context.Context, opts EvalOptions, p Place) *Evaluator {
	return &Evaluator{EvalOptions: opts, ctx: ctx, device: device{p.Grid, p.Device, p.Hub}}
}

// Instruction evaluates in, which belongs to a computation and is no parameter, on the values of its operands. The
// result may share bytes with them. It fails as Evaluate does.
func (e *Evaluator) Instruction(in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	err := e.tick()
	var v *literal.Literal
	if err == nil {
		if in.dynamic {
			v, err = e.evalDynamic(in, args)
		} else {
			v, err = in.Op.Info().Eval(e, in, args)
		}
	}
	var known *Error
	if err != nil && !errors.As(err, &known) {
		err = &Error{in, err}
	}
	return v, err
}

// Cropped returns l with whole arrays cut to their sizes at run time, those of tuples too.
func Cropped(l *literal.Literal) *literal.Literal { return cropped(l) }
