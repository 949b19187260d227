// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import "./Pair.sol";

/// One pool for each two tokens, found in either order.
contract Factory {
    mapping(address => mapping(address => address)) public getPair;
    address[] public allPairs;

    event PairCreated(address indexed token0, address indexed token1, address pair, uint256 count);

    function allPairsLength() external view returns (uint256) {
        return allPairs.length;
    }

    function createPair(address a, address b) external returns (address pair) {
        require(a != b && getPair[a][b] == address(0), "pair");
        pair = address(new Pair(a, b));
        getPair[a][b] = pair;
        getPair[b][a] = pair;
        allPairs.push(pair);
        emit PairCreated(Pair(pair).token0(), Pair(pair).token1(), pair, allPairs.length);
    }
}
