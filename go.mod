module github.com/halo-xla/halo

go 1.26

require gonum.org/v1/gonum v0.17.0

require github.com/google/flatbuffers v25.12.19+incompatible
