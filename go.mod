module github.com/halo-xla/halo

go 1.26
