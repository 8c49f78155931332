// The emulated compiler at run time: g++ with the words of CUDA C++ in a header. What it makes is a library.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#define API extern "C" __attribute__((visibility("default")))

API const int halo_cuda_emulator = 1;

namespace {

enum : unsigned { SUCCESS, OUT_OF_MEMORY, CREATION_FAILURE, INVALID_INPUT, INVALID_PROGRAM, INVALID_OPTION, COMPILATION };

const int archs[] = {70, 80, 90}; // that there is code for

struct Program { std::string source, name, log, code; };

std::string folder() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void *>(&halo_cuda_emulator), &info)) return ".";
  const std::string path = info.dli_fname;
  return path.substr(0, path.rfind('/'));
}

bool word(char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_'; }

void skip_space(const std::string &s, size_t *i) {
  while (*i < s.size() && isspace(static_cast<unsigned char>(s[*i]))) ++*i;
}

std::string next_word(const std::string &s, size_t *i) {
  skip_space(s, i);
  const size_t from = *i;
  while (*i < s.size() && word(s[*i])) ++*i;
  return s.substr(from, *i - from);
}

// marks returns the words that begin a kernel: __global__, and macros that have it.
std::set<std::string> marks(const std::string &s) {
  std::set<std::string> found = {"__global__"};
  for (size_t at = s.find("#define "); at != std::string::npos; at = s.find("#define ", at + 1)) {
    const std::string line = s.substr(at, s.find('\n', at) - at);
    size_t i = 8;
    const std::string name = next_word(line, &i);
    if (line.find("__global__", i) != std::string::npos) found.insert(name);
  }
  return found;
}

// name_at returns the name of the kernel behind a mark that ends at i, "" if none is there.
std::string name_at(const std::string &s, size_t i) {
  std::string w = next_word(s, &i);
  while (w == "void" || w == "__launch_bounds__") {
    skip_space(s, &i);
    if (w == "__launch_bounds__" && i < s.size() && s[i] == '(') i = s.find(')', i) + 1;
    w = next_word(s, &i);
  }
  skip_space(s, &i);
  return i < s.size() && s[i] == '(' ? w : "";
}

std::set<std::string> kernels(const std::string &s) {
  std::set<std::string> found;
  const std::set<std::string> begin = marks(s);
  for (size_t line = 0; line < s.size();) {
    const size_t end = std::min(s.find('\n', line), s.size());
    if (s[line] != '#')
      for (size_t i = line; i < end;) {
        const std::string w = next_word(s, &i);
        const std::string name = begin.count(w) ? name_at(s, i) : "";
        if (!name.empty()) found.insert(name);
        if (w.empty()) i++;
      }
    line = end + 1;
  }
  return found;
}

std::string quoted(const std::string &s) {
  std::string out = "'";
  for (const char c : s) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

bool write_file(const std::string &path, const std::string &text) {
  FILE *f = fopen(path.c_str(), "w");
  if (!f) return false;
  const bool ok = fwrite(text.data(), 1, text.size(), f) == text.size();
  return fclose(f) == 0 && ok;
}

bool read_file(FILE *f, std::string *out) {
  char part[65536];
  for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;) out->append(part, n);
  return !ferror(f);
}

// options makes g++'s of nvcc's, or returns the one that is unknown.
std::string options(int count, const char *const *list, std::string *out, bool *code) {
  static const char *const ignored[] = {"--std=", "-std=", "--fmad=", "--prec-", "--ftz=", "--ptxas-options=",
                                        "--no-source-include", "--use_fast_math", "-lineinfo", "--device-debug"};
  std::string arch;
  for (int i = 0; i < count; i++) {
    const std::string o = list[i];
    bool known = o.rfind("-D", 0) == 0;
    if (known) *out += " " + quoted(o);
    for (const char *const name : ignored) known = known || o.rfind(name, 0) == 0;
    const size_t is = o.find("_");
    if (o.rfind("--gpu-architecture=", 0) == 0 && is != std::string::npos) {
      arch = o.substr(is + 1);
      *code = o.find("=sm_") != std::string::npos;
      known = std::find(std::begin(archs), std::end(archs), atoi(arch.c_str())) != std::end(archs);
    }
    if (!known) return o;
  }
  *out += " -DHALO_EMU_ARCH=" + std::to_string(atoi(arch.empty() ? "75" : arch.c_str()) * 10);
  return "";
}

unsigned compile(Program *p, const std::string &flags) {
  const char *tmp = getenv("TMPDIR");
  std::string dir = std::string(tmp && *tmp ? tmp : "/tmp") + "/halo-cuda-emu-XXXXXX";
  if (!mkdtemp(&dir[0])) return CREATION_FAILURE;
  std::string text = "#line 1 " + ("\"" + p->name + "\"\n") + p->source + "\n#line 1 \"kernels\"\n";
  for (const std::string &k : kernels(p->source)) text += "HALO_EMU_KERNEL(" + k + ")\n";
  const char *cxx = getenv("HALO_CUDA_EMU_CXX");
  const std::string in = dir + "/a.cc", out = dir + "/a.so";
  const std::string command = std::string(cxx && *cxx ? cxx : "g++") + " -x c++ -std=c++17 -O1 -w -fPIC -shared" +
    " -fvisibility=hidden -fno-exceptions -fno-rtti -fno-strict-aliasing -fwrapv -ffp-contract=off" + flags +
    " -include " + quoted(folder() + "/shim.h") + " " + quoted(in) + " -o " + quoted(out) + " -lm 2>&1";
  unsigned status = CREATION_FAILURE;
  FILE *pipe = write_file(in, text) ? popen(command.c_str(), "r") : nullptr;
  if (pipe) {
    const bool said = read_file(pipe, &p->log);
    status = pclose(pipe) == 0 && said ? SUCCESS : COMPILATION;
  }
  FILE *code = status == SUCCESS ? fopen(out.c_str(), "r") : nullptr;
  std::string library;
  if (code) {
    if (!read_file(code, &library)) status = CREATION_FAILURE;
    fclose(code);
  } else if (status == SUCCESS) {
    status = CREATION_FAILURE;
  }
  const uint64_t bytes = library.size();
  p->code = "cuda-emu" + std::string(reinterpret_cast<const char *>(&bytes), 8) + library;
  unlink(in.c_str()), unlink(out.c_str()), rmdir(dir.c_str());
  return status;
}

} // namespace

API const char *nvrtcGetErrorString(unsigned status) {
  static const char *const names[] = {
    "NVRTC_SUCCESS", "NVRTC_ERROR_OUT_OF_MEMORY", "NVRTC_ERROR_PROGRAM_CREATION_FAILURE", "NVRTC_ERROR_INVALID_INPUT",
    "NVRTC_ERROR_INVALID_PROGRAM", "NVRTC_ERROR_INVALID_OPTION", "NVRTC_ERROR_COMPILATION"};
  return status < sizeof names / sizeof *names ? names[status] : "NVRTC_ERROR_INTERNAL_ERROR";
}

API unsigned nvrtcVersion(int *major, int *minor) {
  *major = 12, *minor = 4;
  return SUCCESS;
}

API unsigned nvrtcGetNumSupportedArchs(int *count) {
  *count = sizeof archs / sizeof *archs;
  return SUCCESS;
}

API unsigned nvrtcGetSupportedArchs(int *out) {
  memcpy(out, archs, sizeof archs);
  return SUCCESS;
}

API unsigned nvrtcCreateProgram(Program **p, const char *source, const char *name, int headers, const char *const *,
                                const char *const *) {
  if (!source || headers) return INVALID_INPUT;
  *p = new Program{source, name ? name : "default_program", "", ""};
  return SUCCESS;
}

API unsigned nvrtcDestroyProgram(Program **p) {
  delete *p;
  *p = nullptr;
  return SUCCESS;
}

API unsigned nvrtcCompileProgram(Program *p, int count, const char *const *list) {
  std::string flags;
  bool code = false;
  const std::string bad = options(count, list, &flags, &code);
  if (!bad.empty()) {
    p->log = "cuda-emu: unknown option " + bad;
    return INVALID_OPTION;
  }
  return compile(p, flags);
}

// Code and text are one thing here: what the emulated driver loads.
static unsigned size_of(const Program *p, size_t *size) {
  *size = p->code.size();
  return SUCCESS;
}

static unsigned copy_of(const Program *p, char *out) {
  memcpy(out, p->code.data(), p->code.size());
  return SUCCESS;
}

API unsigned nvrtcGetPTXSize(Program *p, size_t *size) { return size_of(p, size); }
API unsigned nvrtcGetPTX(Program *p, char *out) { return copy_of(p, out); }
API unsigned nvrtcGetCUBINSize(Program *p, size_t *size) { return size_of(p, size); }
API unsigned nvrtcGetCUBIN(Program *p, char *out) { return copy_of(p, out); }

API unsigned nvrtcGetProgramLogSize(Program *p, size_t *size) {
  *size = p->log.size() + 1;
  return SUCCESS;
}

API unsigned nvrtcGetProgramLog(Program *p, char *out) {
  memcpy(out, p->log.c_str(), p->log.size() + 1);
  return SUCCESS;
}
