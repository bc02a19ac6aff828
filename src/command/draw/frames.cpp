#include "command/draw/frames.hpp"

#include <utility>

namespace xcuda::command {

void Frames::add(const std::string& id, const std::string& cell, display::PngFile frame) {
  auto& film = films_[id];
  if (film.cell != cell || (!film.frames.empty() && !display::fits(film.frames.front(), frame))) film = {.cell = cell};
  if (film.shown++ % film.every != 0) return;
  film.bytes += frame.size();
  film.frames.push_back(std::move(frame));
  while (film.frames.size() > 1 && (film.frames.size() > kMost || film.bytes > kMostBytes)) thin_out(film);
}

void Frames::thin_out(Film& film) {
  std::vector<display::PngFile> kept;
  film.bytes = 0;
  for (std::size_t i = 0; i < film.frames.size(); i += 2) {
    film.bytes += film.frames[i].size();
    kept.push_back(std::move(film.frames[i]));
  }
  film.frames = std::move(kept);
  film.every *= 2;
}

const Frames::Film* Frames::find(const std::string& id) const {
  const auto found = films_.find(id);
  return found == films_.end() ? nullptr : &found->second;
}

std::vector<std::string> Frames::ids() const {
  std::vector<std::string> ids;
  for (const auto& [id, film] : films_) ids.push_back(id);
  return ids;
}

}  // namespace xcuda::command
