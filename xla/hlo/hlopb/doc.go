// Package hlopb reads and writes the protocol buffers of HLO: HloModuleProto, HloProto and HloSnapshot, binary and as
// text. hlo.proto and xla_data.proto name the fields; nothing outside of this package knows that there are any.
package hlopb
