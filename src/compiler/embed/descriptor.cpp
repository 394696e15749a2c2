#include "compiler/embed/descriptor.h"

#include <llvm/Support/Format.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/analysis/comparisons.h"
#include "compiler/analysis/reads.h"

namespace pappus::compiler {
namespace {

using llvm::json::OStream;

void write_version(OStream& json) { json.attribute("version", detail::compiler_version); }

void write_reason(OStream& json, const reason& r) {
  json.object([&] {
    json.attribute("id", r.id);
    json.attribute("what", r.what);
    json.attribute("remedy", r.remedy);
    json.attribute("where", r.where);
    json.attributeArray("chain", [&] {
      for (const auto& step : r.chain) json.value(step);
    });
  });
}

void write_reads(OStream& json, const kernel_function& function) {
  for (unsigned i = 0; i < function.parameters.size(); ++i) {
    const auto what = function.parameters[i].what;
    if (what != role::input && what != role::match) continue;
    json.object([&] {
      json.attribute("parameter", i);
      const auto reads = reads_of(function, i);
      if (!reads) return json.attribute("bytes", nullptr);
      json.attributeArray("bytes", [&] {
        for (const auto& [offset, size] : *reads) json.value(llvm::json::Array{offset, size});
      });
    });
  }
}

void write_text_of(OStream& json, const comparison& one) {
  json.attribute("whole", one.is == "==");
  if (one.captured)
    json.attributeObject("captured", [&] {
      json.attribute("pointer", one.captured->offset);
      json.attribute("size", *one.captured_size);
    });
  else
    json.attributeArray("text", [&] {
      for (const char byte : one.text) json.value(static_cast<unsigned char>(byte));
    });
}

void write_comparison(OStream& json, const comparison& one) {
  json.object([&] {
    json.attribute("parameter", one.parameter);
    json.attribute("offset", one.offset);
    json.attribute("bytes", one.bytes);
    if (one.is_text) return write_text_of(json, one);
    json.attribute("is", one.is);
    json.attribute("floating", one.floating);
    if (!one.floating) {
      json.attribute("bits", one.bits);
      json.attribute("sign_extended", one.sign_extended);
      json.attribute("addend", one.addend);
      json.attribute("signed", one.signed_order);
    }
    if (!one.captured) return json.attribute("value", one.value);
    json.attributeObject("captured", [&] {
      json.attribute("offset", one.captured->offset);
      json.attribute("bytes", one.captured->bytes);
      json.attributeArray("steps", [&] {
        for (const auto& [what, by, bits] : one.captured->steps)
          json.value(llvm::json::Array{what, by, bits});
      });
    });
  });
}

/// What files are read by, where the function isn't called for all records.
void write_comparisons(OStream& json, const kernel_function& function) {
  const bool pure = is_pure(function);
  json.attribute("pure", pure);
  if (!pure) return;
  json.attributeArray("comparisons", [&] {
    for (const auto& one : comparisons_of(function)) write_comparison(json, one);
  });
}

void write_references(OStream& json, const std::vector<reference>& references) {
  json.attributeArray("references", [&] {
    for (const auto& r : references)
      json.value(llvm::json::Object{{"offset", r.offset}, {"bytes", r.size}, {"align", r.align}});
  });
}

void write_code(OStream& json, const kernel_function& function, const emitted& code) {
  json.attribute("text", code.text);
  json.attribute("floats", !code.floats ? "none" : function.fast_floats ? "fast" : "strict");
  json.attribute("doubles", code.doubles);
  json.attribute("traps", code.traps);
  json.attributeArray("maths", [&] {
    for (const auto& name : code.maths) json.value(name);
  });
  write_references(json, code.references);
}

/// To one place: the rest is noise.
void write_count(OStream& json, const char* name, double count) {
  json.attributeBegin(name);
  json.rawValue([&](llvm::raw_ostream& to) { to << llvm::format("%.1f", count); });
  json.attributeEnd();
}

void write_work(OStream& json, const kernel_function& function, const call_work& work) {
  json.attributeArray("counts", [&] {
    for (const auto& [sides, counts] : work.counts)
      json.object([&] {
        json.attribute("sides", llvm::json::Array(sides));
        write_count(json, "simple", counts.simple);
        write_count(json, "wide", counts.wide);
        write_count(json, "divisions", counts.divisions);
        write_count(json, "maths", counts.maths);
      });
  });
  json.attribute("assumed", work.assumed);
  json.attribute("unseen", work.unseen);
  json.attribute("fast", function.fast_floats);
  json.attributeArray("vector_maths", [&] {
    for (const auto& name : work.vector_maths) json.value(name);
  });
}

void write_access(OStream& json, const touched& one) {
  json.object([&] {
    json.attribute("view", one.what.array);
    json.attribute("kind", word_of(one.what.mode));
    json.attribute("text", one.text);
    if (one.what.slices.empty()) return json.attribute("unknown", true);
    json.attributeArray("region", [&] {
      for (const auto& s : one.what.slices)
        json.object([&] {
          if (s.low) json.attribute("low", s.low->code());
          if (s.high) json.attribute("high", s.high->code());
        });
    });
  });
}

void write_symbol(OStream& json, const symbol& one) {
  json.object([&] {
    json.attribute("name", one.name);
    if (const auto* extent = std::get_if<view_extent>(&one.from)) {
      json.attribute("view", extent->view);
      json.attribute("dimension", extent->dimension);
    } else if (const auto* captured = std::get_if<captured_value>(&one.from)) {
      json.attribute("path", llvm::json::Array(captured->path));
      json.attribute("bytes", captured->size);
      json.attribute("signed", captured->is_signed);
    }
  });
}

void write_footprint(OStream& json, const footprint& all) {
  json.attribute("footprint", all.text());
  json.attribute("ranks", llvm::json::Array(all.ranks));
  json.attributeArray("accesses", [&] {
    for (const auto& one : all.touches) write_access(json, one);
  });
  json.attributeArray("symbols", [&] {
    for (const auto& one : all.symbols) write_symbol(json, one);
  });
  json.attribute("narrow", all.narrow);
  if (all.references) write_references(json, *all.references);
}

}  // namespace

std::string descriptor_of(const kernel_function& function, const emitted& code,
                          const std::optional<footprint>& touched, const call_work& work,
                          const std::string& source) {
  std::string result;
  llvm::raw_string_ostream text(result);
  OStream json(text);
  json.object([&] {
    write_version(json);
    json.attribute("name", function.name);
    json.attribute("function", function.function);
    json.attribute("source", source);
    if (touched)
      write_footprint(json, *touched);
    else if (code.reasons.empty())
      write_code(json, function, code);
    if (!touched) {
      json.attributeArray("reads", [&] { write_reads(json, function); });
      json.attribute("throws", may_trap(function));
      write_comparisons(json, function);
    }
    json.attributeArray("reasons", [&] {
      for (const auto& r : code.reasons) write_reason(json, r);
    });
    json.attributeObject("work", [&] { write_work(json, function, work); });
  });
  return result;
}

std::string descriptor_of_version() {
  std::string result;
  llvm::raw_string_ostream text(result);
  OStream json(text);
  json.object([&] { write_version(json); });
  return result;
}

}  // namespace pappus::compiler
