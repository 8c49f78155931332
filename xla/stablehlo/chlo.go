package stablehlo

// chloImports are the ops of CHLO that are no row of HLO's op table.
var chloImports = map[string]importFunc{}
