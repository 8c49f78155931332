package hlo

type rngState struct{}
