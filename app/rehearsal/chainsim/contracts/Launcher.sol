// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import "./Factory.sol";
import "./Token.sol";
import "./Weth.sol";

/// Launches tokens whose liquidity nobody can take out again, and tells of
/// them in the way of the pons v1 factory and locker.
contract Launcher {
    struct Launched {
        address token;
        address deployer;
        address pairedToken;
        address positionManager;
        uint256 positionId;
        uint256 dexId;
        uint256 launchConfigId;
        uint256 restrictionsEndBlock;
        uint256 supply;
        bool isToken0;
        uint24 poolFee;
        bool exists;
        uint256 initialBuyAmount;
    }

    address public constant DEAD = 0x000000000000000000000000000000000000dEaD;
    Factory public factory;
    Weth public weth;
    mapping(address => Launched) private launched;
    mapping(address => address) public feeRedirects;

    event TokenLaunched(address indexed token, address indexed deployer, address indexed dexFactory, address pairToken, address pool, uint256 dexId, uint256 launchConfigId, uint256 positionId, uint256 restrictionsEndBlock, uint256 initialBuyAmount);
    event FeeRedirectUpdated(address indexed token, address indexed newFeeWallet);

    constructor(Factory factory_, Weth weth_) {
        (factory, weth) = (factory_, weth_);
    }

    function locker() external view returns (address) {
        return address(this);
    }

    function getLaunchedToken(address token) external view returns (Launched memory) {
        return launched[token];
    }

    function setFeeRedirect(address token, address wallet) external {
        require(msg.sender == launched[token].deployer, "deployer");
        feeRedirects[token] = wallet;
        emit FeeRedirectUpdated(token, wallet);
    }

    /// The pool gets `pooled` tokens and the coins sent along, its LP is burned,
    /// and the deployer gets the rest of the supply.
    function launch(string calldata name, string calldata symbol, uint256 supply, uint256 pooled) external payable returns (address) {
        Token token = new Token(name, symbol, supply);
        Pair pair = Pair(factory.createPair(address(token), address(weth)));
        token.transfer(address(pair), pooled);
        weth.deposit{value: msg.value}();
        weth.transfer(address(pair), msg.value);
        pair.mint(DEAD);
        token.transfer(msg.sender, supply - pooled);
        bool isToken0 = pair.token0() == address(token);
        launched[address(token)] = Launched(address(token), msg.sender, address(weth), address(0), 0, 0, 0, block.number, supply, isToken0, 3000, true, 0);
        emit TokenLaunched(address(token), msg.sender, address(factory), address(weth), address(pair), 0, 0, 0, block.number, 0);
        return address(token);
    }
}
