#include "spaces/parameters.h"

#include <algorithm>
#include <array>

namespace simt::cc::spaces {

bool is_type_keyword(std::string_view word) {
  static constexpr std::array<std::string_view, 16> words = {
      "void",   "bool", "char",   "short",    "int",     "long",     "float",    "double",
      "signed", "auto", "size_t", "unsigned", "wchar_t", "char16_t", "__int128", "char8_t"};
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_specifier(const OwnTokens& t, Index i) {
  switch (t[i].word) {
    case Word::global_:
    case Word::device_:
    case Word::variable_:
    case Word::host_:
    case Word::mark_:
    case Word::shared_:
    case Word::noinline_:
    case Word::extern_:
    case Word::static_:
    case Word::inline_:
    case Word::constexpr_:
    case Word::const_:
    case Word::volatile_:
    case Word::explicit_:
    case Word::friend_:
    case Word::typename_:
      return true;
    default:
      break;
  }
  static constexpr std::array<std::string_view, 8> words = {"virtual",      "mutable",   "register",
                                                            "thread_local", "constinit", "__thread",
                                                            "__restrict__", "__restrict"};
  return t.is_name(i) && std::find(words.begin(), words.end(), t.text(i)) != words.end();
}

Index skip_attributes(const OwnTokens& t, Index i) {
  for (;;) {
    const bool named =
        (t.is(i, Word::attribute_) || t.is(i, Word::alignas_) || t.is(i, Word::cluster_dims_)) &&
        t.is(i + 1, '(');
    if (named && t.match(i + 1) != none) {
      i = t.match(i + 1) + 1;
    } else if (t.is(i, '[') && t.is(i + 1, '[') && t.match(i) != none) {
      i = t.match(i) + 1;
    } else {
      return i;
    }
  }
}

Index list_item_end(const OwnTokens& t, Index i, Index end) {
  while (i < end) {
    if (t.is(i, ',')) return i;
    if (t.is(i, '<') && t.close_angle(i) != none && t.close_angle(i) < end) i = t.close_angle(i);
    i = t.after(i);
  }
  return end;
}

namespace {

void read_parameter(const OwnTokens& t, Index begin, Index end, Function& f) {
  Parameter p{begin, end, {}, false};
  for (Index i = begin; i < end; i = t.after(i)) {
    if (t.is(i, '=')) {
      p.has_default = true;
      end = i;
    }
  }
  Index last = end;
  while (last > begin && t.is(last - 1, ']') && t.match(last - 1) != none) last = t.match(last - 1);
  p.end = end;
  // `void (*callback)(int)`
  for (Index i = begin; i + 2 < end; ++i) {
    if (t.is(i, '(') && (t.is(i + 1, '*') || t.is(i + 1, '&')) && t.is_name(i + 2)) {
      p.name = t.text(i + 2);
      p.end = i;
    }
  }
  if (p.name.empty() && last >= begin + 2 && t.is_name(last - 1) && !t.is(last - 2, Word::scope_) &&
      !is_type_keyword(t.text(last - 1)) && !is_specifier(t, last - 1) &&
      !(last == begin + 2 && is_specifier(t, begin))) {
    p.name = t.text(last - 1);
    p.end = last - 1;
  }
  f.parameters.push_back(p);
}

}  // namespace

void read_parameters(const OwnTokens& t, Index open, Function& f) {
  const Index close = t.match(open);
  f.signature = "(";
  for (Index begin = open + 1; begin < close;) {
    const Index end = list_item_end(t, begin, close);
    if (t.is(begin, '.')) {
      f.most = ~0u;  // ...
    } else if (!(end == begin + 1 && t.is(begin, Word::void_))) {
      read_parameter(t, begin, end, f);
      const Parameter& p = f.parameters.back();
      for (Index i = begin; i < p.end; ++i) {
        if (t.is(i, '.') && t.is(i + 1, '.')) f.most = ~0u;  // a pack
      }
      f.signature += t.flat_text(p.begin, p.end) + ",";
      if (f.most != ~0u) ++f.most;
      if (!p.has_default && f.most != ~0u) ++f.least;
    }
    begin = end + 1;
  }
}

}  // namespace simt::cc::spaces
