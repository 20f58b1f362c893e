#include "models/writing.h"

#include <algorithm>
#include <deque>

namespace warpath::models {
namespace {

struct Text {
  std::size_t number;
  const Request* request;
  Tokens written = {};
  std::int64_t cached = 0;  // tokens whose keys and values are in the cache
  Generator::Pages pages = {};
  std::vector<unsigned char> saved = {};  // what they held before it made room
  std::size_t place = 0;
  int moves = 0;
};

class Writer {
 public:
  Writer(Generator& generator, const std::vector<Request>& requests, const Writing& writing)
      : generator_(generator), size_(generator.size()), writing_(writing) {
    for (std::int64_t p = size_.pages; p-- > 0;) free_.push_back(static_cast<std::int32_t>(p));
    for (std::size_t i = static_cast<std::size_t>(size_.texts); i-- > 0;) places_.push_back(i);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      WARPATH_CHECK(size_.pages_for(requests[i].cached()) <= size_.pages,
                    "a text that the cache can hold");
      texts_.push_back({i, &requests[i]});
    }
    for (Text& t : texts_) waiting_.push_back(&t);
  }

  void all() {
    while (!waiting_.empty() || !active_.empty()) {
      if (writing_.stops()) return;
      admit();
      make_room();
      if (!active_.empty()) step();
    }
    WARPATH_CHECK(static_cast<std::int64_t>(free_.size()) == size_.pages, "every page came back");
  }

 private:
  // Room for its next token, too: otherwise it would have to make room at once.
  void admit() {
    while (!waiting_.empty() && !places_.empty()) {
      Text& t = *waiting_.front();
      const bool is_new = t.written.empty();
      if (is_new) t.cached = static_cast<std::int64_t>(t.request->prompt.size());
      const std::int64_t wants = size_.pages_for(std::min(t.cached + 1, t.request->cached()));
      if (static_cast<std::int64_t>(free_.size()) < wants) return;
      if (writing_.stops()) return;
      waiting_.pop_front();
      while (static_cast<std::int64_t>(t.pages.size()) < size_.pages_for(t.cached)) take_page(t);
      t.place = places_.back();
      places_.pop_back();
      active_.push_back(&t);
      if (is_new) {
        writing_.begins(t.number);
        draw(t, generator_.read(t.request->prompt, t.pages));
      } else {
        generator_.load(t.pages, t.saved);
        t.saved = {};
      }
    }
  }

  void take_page(Text& t) {
    t.pages.push_back(free_.back());
    free_.pop_back();
  }

  // A page for each text's next token, the oldest text first.
  void make_room() {
    for (std::size_t i = 0; i < active_.size(); ++i) {
      Text& t = *active_[i];
      if (static_cast<std::int64_t>(t.pages.size()) >= size_.pages_for(t.cached + 1)) continue;
      while (free_.empty() && i < active_.size()) move_out(*active_.back());
      if (i < active_.size()) take_page(t);
    }
  }

  void move_out(Text& t) {
    t.saved = generator_.save(t.pages);
    leave(t);
    waiting_.push_front(&t);
    ++t.moves;
  }

  void leave(Text& t) {
    free_.insert(free_.end(), t.pages.rbegin(), t.pages.rend());
    t.pages.clear();
    places_.push_back(t.place);
    std::erase(active_, &t);
  }

  void step() {
    std::vector<Generator::Place> places(static_cast<std::size_t>(size_.texts));
    for (const Text* t : active_)
      places[t->place] = {t->written.back(), static_cast<std::int32_t>(t->cached + 1), &t->pages};
    generator_.step(places);
    std::vector<Text*> taken = active_;
    std::sort(taken.begin(), taken.end(),
              [](const Text* a, const Text* b) { return a->place < b->place; });
    for (Text* t : taken) {
      ++t->cached;
      if (size_.picks && !writing_.wants_logits && t->request->sampling.takes_likeliest())
        deliver(*t, generator_.likeliest(t->place), {});
      else
        draw(*t, generator_.logits(t->place));
    }
  }

  void draw(Text& t, const std::vector<float>& logits) {
    const Request& r = *t.request;
    deliver(t, sample(r.sampling, logits, r.prompt, t.written), logits);
  }

  void deliver(Text& t, std::int32_t token, const std::vector<float>& logits) {
    t.written.push_back(token);
    const bool goes_on = writing_.take(t.number, token, logits) &&
                         static_cast<std::int64_t>(t.written.size()) < t.request->most;
    if (goes_on) return;
    leave(t);
    writing_.ended(t.number, t.moves);
  }

  Generator& generator_;
  const GeneratorSize& size_;
  const Writing& writing_;
  std::vector<Text> texts_;
  std::deque<Text*> waiting_;
  std::vector<Text*> active_;  // the oldest first
  std::vector<std::int32_t> free_;
  std::vector<std::size_t> places_;  // that nobody has
};

}  // namespace

void write_texts(Generator& generator, const std::vector<Request>& requests,
                 const Writing& writing) {
  Writer(generator, requests, writing).all();
}

}  // namespace warpath::models
