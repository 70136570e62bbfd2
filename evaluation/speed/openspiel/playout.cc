// Random legal play of OpenSpiel's games inside C++, as `masked-monsters speed` measures it.
//
// Each line on standard input, `GAME OBSERVE SECONDS`, is answered by one on standard output:
// `DECISIONS WALL_SECONDS CPU_SECONDS`, or `error MESSAGE`. With OBSERVE 1 the deciding player's
// tensor is written before every decision, into a buffer that is used again.

#include <chrono>
#include <ctime>
#include <exception>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "open_spiel/spiel.h"

namespace {

using open_spiel::Action;
using open_spiel::Game;
using open_spiel::State;

class Playout {
 public:
  explicit Playout(const std::string& name)
      : game_(open_spiel::LoadGame(name)),
        observation_(game_->GetType().provides_observation_tensor),
        tensor_(observation_ ? game_->ObservationTensorSize()
                             : game_->InformationStateTensorSize()),
        state_(game_->NewInitialState()) {}

  // One decision, and what chance does before it; a finished game is followed by a new one.
  void Decide(bool observe) {
    for (;;) {
      if (state_->IsTerminal()) {
        state_ = game_->NewInitialState();
      } else if (state_->IsChanceNode()) {
        state_->ApplyAction(open_spiel::SampleAction(state_->ChanceOutcomes(), random_).first);
      } else {
        break;
      }
    }
    if (observe) Observe();
    std::vector<Action> actions = state_->LegalActions();
    std::uniform_int_distribution<size_t> choice(0, actions.size() - 1);
    state_->ApplyAction(actions[choice(random_)]);
  }

 private:
  void Observe() {
    if (observation_) {
      state_->ObservationTensor(state_->CurrentPlayer(), absl::MakeSpan(tensor_));
    } else {
      state_->InformationStateTensor(state_->CurrentPlayer(), absl::MakeSpan(tensor_));
    }
  }

  std::shared_ptr<const Game> game_;
  bool observation_;
  std::vector<float> tensor_;
  std::unique_ptr<State> state_;
  std::mt19937 random_{0};
};

double CpuSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void Measure(Playout& playout, bool observe, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto begun = Clock::now();
  const double cpu_begun = CpuSeconds();
  long decisions = 0;
  double wall = 0;
  while (wall < seconds) {
    for (int i = 0; i < 256; ++i) playout.Decide(observe);
    decisions += 256;
    wall = std::chrono::duration<double>(Clock::now() - begun).count();
  }
  std::cout << decisions << ' ' << wall << ' ' << CpuSeconds() - cpu_begun << std::endl;
}

}  // namespace

int main() {
  open_spiel::SetErrorHandler([](const std::string& message) { throw std::runtime_error(message); });
  std::cout.precision(12);
  std::map<std::string, Playout> playouts;
  std::string game;
  bool observe;
  double seconds;
  while (std::cin >> game >> observe >> seconds) {
    try {
      Measure(playouts.try_emplace(game, game).first->second, observe, seconds);
    } catch (const std::exception& error) {
      std::cout << "error " << error.what() << std::endl;
    }
  }
}
