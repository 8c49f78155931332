package xla_test

import (
	"os"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla"
)

// Files of other kinds are called by their names.
func TestForeignFiles(t *testing.T) {
	for src, want := range map[string]string{
		"":                       "the file is empty",
		"\x93NUMPY\x01\x00v\x00": "an array in numpy's format",
		"\x10\x00\x00\x00\x00\x00\x00\x00{\"a\":{}}": "a safetensors file",
		"PK\x03\x04\x00\x00":                         "a zip archive",
		"PK\x03\x04" + strings.Repeat("\x00", 22) + "\x10\x00\x00\x00archive/data.pkl": "a file of PyTorch, whose pickles",
		"PK\x03\x04" + strings.Repeat("\x00", 22) + "\x05\x00\x00\x00a.npy\x93NUMPY":   "a npz archive",
		"BZh91AY":              "compressed by bzip2: unpack it first",
		"\xfd7zXZ\x00":         "compressed by xz",
		"\x28\xb5\x2f\xfd\x00": "compressed by zstd",
		"version https://git-lfs.github.com/spec/v1\n": "a pointer of Git LFS",
		"<!DOCTYPE html>":                                    "a web page",
		"{ lambda ; a:f32[3]. let":                           "a jaxpr: jax.jit(f).lower(...).as_text()",
		`{"architectures": ["Bert"]}`:                        "JSON, a description and no program",
		"[{\"a\": 1}]":                                       "JSON, a description",
		"{\n  \"weight_map\": {\"a\": \"b\"}":                "an index of safetensors files",
		"node {\n  name: \"x\"\n  op: \"Relu\"\n}":           "a graph of TensorFlow: export the program with tf.function",
		"\x0a\x0f\x0a\x01x\x12\x04Relu\x2a\x04\x0a\x01T\x12": "a graph of TensorFlow",
		"\x08\x01\x12\x04\x0a\x02\x0a\x00":                   "a SavedModel of TensorFlow",
		"\x80\x04\x95\x10\x00\x00\x00":                       "a Python pickle",
		"\x89HDF\r\n\x1a\n\x00":                              "an HDF5 file",
		"\x1c\x00\x00\x00TFL3\x00":                           "a TensorFlow Lite model",
		"GGUF\x03\x00\x00\x00":                               "a GGUF file",
		"\x7fELF\x02\x01\x01\x00":                            "a library or an executable",
		"\x1f\x8b\x08\x00":                                   "compressed by gzip",
		"\x08\x0b\x12\x07pytorch:\x00":                       "an ONNX model: scripts/export/from_onnx.py",
		"\x08\x0d:\x20\x0a\x0a\x0a\x01x":                     "an ONNX model",
		"\x01\x02\x00":                                       "binary data",
		"\xef\xbb\xbfHloModule m":                            "text behind a byte order mark: save it as UTF-8",
		"\xff\xfeH\x00l\x00o\x00":                            "text in UTF-16: save it as UTF-8",
		"Dear halo":                                          "file:1:1: no program, want",
		"HloModul m":                                         "file:1:1: no program, did you mean HloModule, want",
		"# Title\n\nSome *text*":                             "Markdown or another text with comments",
		"<?xml version=\"1.0\"?>":                            "XML, a description",
		"import jax\nprint(1)":                               "Python's source and no program: run it",
		"#!/usr/bin/env python3\nimport jax\n":               "Python's source",
		"# A model.\n\nfrom jax import numpy":                "Python's source",
		"\"\"\"What it does.\"\"\"\nimport jax\n":            "Python's source",
		"#!/bin/sh\necho":                                    "a script and no program",
	} {
		_, err := xla.Read(xla.Program{Name: "file", Source: []byte(src)})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "want HLO or StableHLO text") {
			t.Errorf("%q: got %v, want %q in it", src, err, want)
		}
	}
}

// A program without a name is called program in errors.
func TestNamelessProgram(t *testing.T) {
	for src, want := range map[string]string{
		"":                                  "program: the file is empty",
		"HloModule m\nENTRY e { x = f32[] ": "program:2:",
		"func.func @main() { x":             "program:1:",
	} {
		_, err := xla.Read(xla.Program{Source: []byte(src)})
		if err == nil || !strings.HasPrefix(strings.TrimPrefix(err.Error(), "xla: "), want) {
			t.Errorf("%q: got %v, want %q at its beginning", src, err, want)
		}
	}
}

// A container that was cut is called one as long as its table is there.
func TestCutExport(t *testing.T) {
	data, err := os.ReadFile("export/testdata/symbolic.jax_export")
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int]string{4: "binary data, want", 20: "binary data, want"} {
		_, err := xla.Read(xla.Program{Name: "file", Source: append([]byte("@"), data[1:n]...)}) // as large ones begin
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d bytes: got %v, want %q in it", n, err, want)
		}
	}
	for _, n := range []int{len(data) / 4, len(data) / 2, len(data) - 200} {
		_, err := xla.Read(xla.Program{Name: "file", Source: data[:n]})
		if err == nil || !strings.Contains(err.Error(), "file: ") || !strings.Contains(err.Error(), "cut short or damaged") &&
			!strings.Contains(err.Error(), "the data are damaged") {
			t.Errorf("%d of %d bytes: got %v, want that the container is cut", n, len(data), err)
		}
	}
}
