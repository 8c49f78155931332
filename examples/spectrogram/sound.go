package main

import (
	"bytes"
	"encoding/binary"
	"math"
)

// rate is how many samples a second of our own sound has.
const rate = 8000

// sweep is a wav file of two seconds: a tone that rises from 500 to 3000 Hz over a soft one that stays at 1000 Hz.
func sweep() []byte {
	const n = 2 * rate
	data := make([]int16, n)
	phase := 0.0
	for i := range data {
		phase += 2 * math.Pi * (500 + 2500*float64(i)/n) / rate
		soft := math.Sin(2 * math.Pi * 1000 * float64(i) / rate)
		data[i] = int16(20000*math.Sin(phase) + 2000*soft)
	}
	var b bytes.Buffer
	b.WriteString("RIFF")
	little(&b, uint32(36+2*n))
	b.WriteString("WAVEfmt ")
	little(&b, uint32(16), uint16(1), uint16(1), uint32(rate), uint32(2*rate), uint16(2), uint16(16)) // PCM, one channel
	b.WriteString("data")
	little(&b, uint32(2*n), data)
	return b.Bytes()
}

// little appends values in little-endian order.
func little(b *bytes.Buffer, values ...any) {
	for _, v := range values {
		if err := binary.Write(b, binary.LittleEndian, v); err != nil {
			panic(err) // a bytes.Buffer takes all
		}
	}
}
