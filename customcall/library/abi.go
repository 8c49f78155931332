package library

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"iter"
	"slices"
	"strings"
)

// The calling conventions, as they are called in reports.
const (
	abiFFI      = "typed FFI (api_version 4)"
	abiUnified  = "status with opaque text (api_version 3)"
	abiStatus   = "status (api_version 2)"
	abiOriginal = "original (api_version 1)"
)

// exports lists the functions that a program may call, and pairs those that describe types.
func (f *File) exports(e *elf.File, symbols []elf.Symbol) {
	signatures := signaturesOf(e)
	var functions []string
	for _, s := range symbols {
		kind := elf.ST_TYPE(s.Info)
		if s.Section == elf.SHN_UNDEF || kind != elf.STT_FUNC && kind != elf.STT_GNU_IFUNC || !callable(s) {
			continue
		}
		functions = append(functions, s.Name)
	}
	slices.Sort(functions)
	functions = slices.Compact(functions)
	for _, name := range functions {
		id, isID := cutType(name, "TypeId", "type_id")
		_, isInfo := cutType(name, "TypeInfo", "type_info")
		switch {
		case isID:
			f.Types = append(f.Types, Type{name, partner(functions, id)})
		case isInfo:
		default:
			f.Targets = append(f.Targets, Target{name, signatures[name]})
		}
	}
	if len(f.Targets) == 0 {
		f.note("it exports no function that a program could call%s", whyNone(e))
	}
}

// callable leaves out what compilers export by themselves, and C++ functions, which have no name a program would use.
func callable(s elf.Symbol) bool {
	visibility := elf.ST_VISIBILITY(s.Other)
	return elf.ST_BIND(s.Info) != elf.STB_LOCAL && visibility != elf.STV_HIDDEN && visibility != elf.STV_INTERNAL &&
		!strings.HasPrefix(s.Name, "_") && s.Name != "rust_eh_personality"
}

// cutType cuts one of the endings that functions about types have.
func cutType(name string, endings ...string) (string, bool) {
	for _, end := range endings {
		if rest, ok := strings.CutSuffix(name, end); ok {
			return rest, true
		}
	}
	return name, false
}

// partner is the function that returns the TypeInfo* of the type whose TypeId* has the same start; "" if there is none.
func partner(functions []string, start string) string {
	for _, end := range []string{"TypeInfo", "type_info"} {
		if slices.Contains(functions, start+end) {
			return start + end
		}
	}
	return ""
}

// startup are functions that compilers put into every library.
var startup = []string{"deregister_tm_clones", "register_tm_clones", "frame_dummy"}

// whyNone guesses why nothing is exported.
func whyNone(e *elf.File) string {
	all, _ := e.Symbols() // a stripped file has none
	for _, s := range all {
		switch {
		case s.Section == elf.SHN_UNDEF || elf.ST_TYPE(s.Info) != elf.STT_FUNC || slices.Contains(startup, s.Name):
		case strings.HasPrefix(s.Name, "_Z") && elf.ST_BIND(s.Info) == elf.STB_GLOBAL:
			return ": " + s.Name + " is a C++ function (declare it extern \"C\")"
		case !strings.HasPrefix(s.Name, "_"):
			return ": " + s.Name + " is static or hidden (give it default visibility)"
		}
	}
	return ": declare its handlers extern \"C\", without static, with default visibility"
}

// signs looks for what gives a calling convention away.
func (f *File) signs(e *elf.File, symbols []elf.Symbol) {
	add := func(abi, sign string) { f.ABIs = append(f.ABIs, abi+": "+sign) }
	wrapper, status := false, false
	for _, s := range symbols {
		wrapper = wrapper || strings.HasPrefix(s.Name, "_ZN3xla3ffi") || strings.HasPrefix(s.Name, "_ZNK3xla3ffi") ||
			strings.HasPrefix(s.Name, "_ZTVN3xla3ffi")
		status = status || s.Section == elf.SHN_UNDEF && strings.HasPrefix(s.Name, "XlaCustomCallStatusSet")
	}
	known := map[string]bool{}
	for _, t := range f.Targets {
		if t.ABI != "" && !known[t.ABI] {
			known[t.ABI] = true
			add(t.ABI, "by the debug information of "+t.Name)
		}
	}
	switch {
	case known[abiFFI]:
	case wrapper:
		add(abiFFI, "it has code of XLA's C++ header")
	case mentions(e, "XLA_FFI_"), mentions(e, "xla.ffi"):
		add(abiFFI, "its texts speak of XLA_FFI_")
	}
	if status && !known[abiStatus] && !known[abiUnified] {
		add("api_version 2 or 3", "it calls XlaCustomCallStatusSet...")
	}
	if len(f.ABIs) == 0 && len(f.Targets) > 0 {
		f.note("nothing shows its calling convention (build with -g to see it): a program's api_version decides")
	}
}

// mentions says whether a text is among the library's constants.
func mentions(e *elf.File, text string) bool {
	for _, name := range []string{".rodata", ".rodata.str1.1", ".rodata.str1.8", ".strtab"} {
		s := e.Section(name)
		if s == nil || s.Type == elf.SHT_NOBITS {
			continue
		}
		if b, err := s.Data(); err == nil && bytes.Contains(b, []byte(text)) {
			return true
		}
	}
	return false
}

// versions are the api_versions of calls that suit functions of a convention: the original ones look at nothing of what
// the next two add.
var versions = map[string][]int{abiFFI: {4}, abiUnified: {3}, abiStatus: {2}, abiOriginal: {0, 1, 2, 3}}

// Suits reports whether functions of a convention take calls with an api_version; those of "", which nobody knows, may.
func Suits(abi string, version int) bool { return abi == "" || slices.Contains(versions[abi], version) }

// Convention returns the calling convention, as in Target.ABI, of the function that lies so many bytes behind the first
// of the file at path.
func Convention(path string, offset uint64) string {
	e, err := elf.Open(path)
	if err != nil {
		return ""
	}
	defer e.Close()
	return conventionAt(e, lowest(e)+offset)
}

// lowest is the address that a file wants its first byte at.
func lowest(e *elf.File) uint64 {
	for _, p := range e.Progs {
		if p.Type == elf.PT_LOAD {
			return p.Vaddr - p.Off
		}
	}
	return 0
}

// conventionAt returns the calling convention of the function at an address.
func conventionAt(e *elf.File, address uint64) (abi string) {
	d := debugOf(e)
	if d == nil {
		return ""
	}
	r := d.Reader()
	if _, err := r.SeekPC(address); err != nil {
		return ""
	}
	for entry := range functions(r) {
		ranges, _ := d.Ranges(entry)
		switch {
		case entry.Tag != dwarf.TagSubprogram: // the next unit
			return ""
		case slices.ContainsFunc(ranges, func(r [2]uint64) bool { return r[0] == address }):
			return convention(parameters(d, r))
		}
		r.SkipChildren()
	}
	return ""
}

// signaturesOf reads the calling conventions of exported functions from debug information, if there is any.
func signaturesOf(e *elf.File) map[string]string {
	d := debugOf(e)
	if d == nil {
		return nil
	}
	r, out := d.Reader(), map[string]string{}
	for entry := range functions(r) {
		name, _ := entry.Val(dwarf.AttrName).(string)
		external, _ := entry.Val(dwarf.AttrExternal).(bool)
		switch {
		case entry.Tag != dwarf.TagSubprogram:
		case external && name != "" && entry.Children:
			if abi := convention(parameters(d, r)); abi != "" {
				out[name] = abi
			}
		default:
			r.SkipChildren()
		}
	}
	return out
}

// debugOf reads the file's debug information, nil if there is none.
func debugOf(e *elf.File) *dwarf.Data {
	if e.Section(".debug_info") == nil && e.Section(".zdebug_info") == nil {
		return nil
	}
	d, err := e.DWARF()
	if err != nil {
		return nil
	}
	return d
}

// functions are the functions and units behind r; whoever ranges over them reads or skips the children.
func functions(r *dwarf.Reader) iter.Seq[*dwarf.Entry] {
	return func(yield func(*dwarf.Entry) bool) {
		for {
			entry, err := r.Next()
			if err != nil || entry == nil {
				return
			}
			if (entry.Tag == dwarf.TagSubprogram || entry.Tag == dwarf.TagCompileUnit) && !yield(entry) {
				return
			}
		}
	}
}

// parameters reads the types of a function's parameters; r stands behind its entry.
func parameters(d *dwarf.Data, r *dwarf.Reader) []string {
	var types []string
	for {
		entry, err := r.Next()
		if err != nil || entry == nil || entry.Tag == 0 {
			return types
		}
		if entry.Tag == dwarf.TagFormalParameter {
			types = append(types, typeName(d, entry))
		}
		r.SkipChildren()
	}
}

// maxSteps bounds the pointers and names of names that are followed: a damaged file has one that points to itself.
const maxSteps = 8

// typeName returns the type of a parameter as "**void"; of a name for another type, all names.
func typeName(d *dwarf.Data, entry *dwarf.Entry) string {
	text, names, r := "", []string{}, d.Reader()
	for range maxSteps {
		offset, ok := entry.Val(dwarf.AttrType).(dwarf.Offset)
		if origin, isCopy := entry.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset); isCopy {
			offset, ok = origin, true
		}
		if !ok {
			names = append(names, "void")
			break
		}
		r.Seek(offset)
		next, err := r.Next()
		if err != nil || next == nil {
			return ""
		}
		entry = next
		name, _ := entry.Val(dwarf.AttrName).(string)
		switch entry.Tag {
		case dwarf.TagPointerType:
			text += "*"
		case dwarf.TagConstType:
			text += "const "
		case dwarf.TagFormalParameter: // of a function that was copied to where it is called
		case dwarf.TagTypedef:
			names = append(names, name)
		default:
			return text + strings.Join(append(names, name), " ")
		}
	}
	return text + strings.Join(names, " ")
}

// convention tells the calling convention by the parameters: a call frame, or memory of results and operands and what
// may follow them.
func convention(params []string) string {
	has := func(i int, text string) bool { return i < len(params) && strings.Contains(params[i], text) }
	old := len(params) > 1 && has(0, "*void") && has(1, "**")
	switch {
	case len(params) == 1 && has(0, "CallFrame"):
		return abiFFI
	case len(params) == 2 && old:
		return abiOriginal
	case len(params) == 3 && old && has(2, "XlaCustomCallStatus"):
		return abiStatus
	case len(params) == 5 && old && has(4, "XlaCustomCallStatus"):
		return abiUnified
	}
	return ""
}

// cuda looks for what needs a GPU.
func (f *File) cuda(e *elf.File) {
	for _, n := range f.Needed {
		if strings.HasPrefix(n.Name, "libcu") || strings.HasPrefix(n.Name, "libnv") || strings.HasPrefix(n.Name, "libnccl") {
			f.CUDA.Libraries = append(f.CUDA.Libraries, n.Name)
		}
	}
	f.CUDA.DeviceCode = e.Section(".nv_fatbin") != nil
}
