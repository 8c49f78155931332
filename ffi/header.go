package ffi

import _ "embed" // for the header

// Header is the text of include/xla/ffi/api/c_api.h, the C interface, for those who write functions.
//
//go:embed include/xla/ffi/api/c_api.h
var Header string
