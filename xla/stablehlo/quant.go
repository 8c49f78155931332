package stablehlo

// importQuantised imports an op with quantised operands or results.
func importQuantised(_ *ctx, op *Op) error {
	return unsupported(op, "quantised types are not supported")
}
