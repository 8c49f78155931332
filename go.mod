module github.com/halo-xla/halo

go 1.26

require (
	github.com/google/flatbuffers v25.12.19+incompatible
	github.com/mjibson/go-dsp v0.0.0-20180508042940-11479a337f12
	gonum.org/v1/gonum v0.17.0
)

require google.golang.org/protobuf v1.36.12
