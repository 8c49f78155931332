// Package deps holds no code, only tests of the project's frame: who may import whom, how large files and functions may
// be, what must be documented, and that documents agree with the code they are made from. With -rewrite the test writes
// docs/ops.md anew, which is made from the op table.
//
// The tests parse the files themselves, in the test process: then the go command knows which files the result depends
// on and does not answer from its cache after a bad change.
package deps
