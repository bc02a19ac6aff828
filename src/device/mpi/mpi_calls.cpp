#include "device/mpi/mpi_calls.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>

namespace xcuda::device::mpi {
namespace {

constexpr std::size_t kLargestPiece = std::size_t{1} << 30;  // bytes; MPI counts by int
constexpr std::uint32_t kTags = 1 << 20;                     // numbers of exchanges that are told apart

bool is_done(MPI_Request& request) {
  int done = 0;
  return MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done != 0;
}

int tag_of(std::uint32_t number) { return static_cast<int>(Tag::bytes) + static_cast<int>(number % kTags); }

}  // namespace

struct Mpi::Sent {
  std::uint32_t to = 0;
  std::vector<std::byte> message;
  MPI_Request request = MPI_REQUEST_NULL;
};

struct Mpi::Piece {
  std::uint32_t peer = 0;
  MPI_Request request = MPI_REQUEST_NULL;
};

Mpi::~Mpi() = default;

Mpi::Mpi() {
  int provided = 0, rank = 0, size = 1;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  rank_ = static_cast<std::uint32_t>(rank);
  size_ = static_cast<std::uint32_t>(size);
  MPI_Comm host = MPI_COMM_NULL;
  if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host) != MPI_SUCCESS) return;
  MPI_Comm_rank(host, &neighbours_.first);
  MPI_Comm_size(host, &neighbours_.count);
  MPI_Comm_free(&host);
}

void Mpi::send(std::uint32_t rank, Tag tag, std::vector<std::byte> message) {
  auto sent = std::make_unique<Sent>(Sent{rank, std::move(message), MPI_REQUEST_NULL});
  MPI_Isend(sent->message.data(), static_cast<int>(sent->message.size()), MPI_BYTE, static_cast<int>(rank),
            static_cast<int>(tag), MPI_COMM_WORLD, &sent->request);
  sent_.push_back(std::move(sent));
}

bool Mpi::sending() {
  std::erase_if(sent_, [](const auto& one) { return is_done(one->request); });
  return !sent_.empty();
}

void Mpi::forget(std::uint32_t rank) {
  for (auto& one : sent_)
    if (one->to == rank) forgotten_.push_back(std::move(one));
  std::erase(sent_, nullptr);
}

std::optional<Mpi::Arrived> Mpi::receive() {
  for (const auto tag : {Tag::to_rank, Tag::answer, Tag::hello, Tag::alive, Tag::lost}) {
    int there = 0;
    MPI_Status status{};
    if (MPI_Iprobe(MPI_ANY_SOURCE, static_cast<int>(tag), MPI_COMM_WORLD, &there, &status) != MPI_SUCCESS || there == 0)
      continue;
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    Arrived arrived{static_cast<std::uint32_t>(status.MPI_SOURCE), tag,
                    std::vector<std::byte>(static_cast<std::size_t>(count))};
    if (MPI_Recv(arrived.message.data(), count, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE) == MPI_SUCCESS)
      return arrived;
  }
  return std::nullopt;
}

void Mpi::begin_send(std::uint32_t rank, std::uint32_t number, std::span<const std::byte> bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += kLargestPiece) {
    auto& piece = pieces_.emplace_back(std::make_unique<Piece>(Piece{rank, MPI_REQUEST_NULL}));
    MPI_Isend(bytes.data() + at, static_cast<int>(std::min(kLargestPiece, bytes.size() - at)), MPI_BYTE,
              static_cast<int>(rank), tag_of(number), MPI_COMM_WORLD, &piece->request);
  }
}

void Mpi::begin_receive(std::uint32_t rank, std::uint32_t number, std::span<std::byte> bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += kLargestPiece) {
    auto& piece = pieces_.emplace_back(std::make_unique<Piece>(Piece{rank, MPI_REQUEST_NULL}));
    MPI_Irecv(bytes.data() + at, static_cast<int>(std::min(kLargestPiece, bytes.size() - at)), MPI_BYTE,
              static_cast<int>(rank), tag_of(number), MPI_COMM_WORLD, &piece->request);
  }
}

bool Mpi::exchange_done() {
  std::erase_if(pieces_, [](const auto& piece) { return is_done(piece->request); });
  return pieces_.empty();
}

void Mpi::drop(std::uint32_t rank) {
  for (auto& piece : pieces_) {
    if (piece->peer != rank) continue;
    MPI_Cancel(&piece->request);
    MPI_Request_free(&piece->request);
  }
  std::erase_if(pieces_, [&](const auto& piece) { return piece->peer == rank; });
}

void Mpi::end() { MPI_Finalize(); }

}  // namespace xcuda::device::mpi
