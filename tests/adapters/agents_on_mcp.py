"""An agent of a framework, with an MCP server's tools: FRAMEWORK ENDPOINT TEXT COMMAND ARGUMENT…

It prints the answer. A program of its own, because the frameworks disagree on the release of `mcp`.
"""

import asyncio
import sys


async def openai_agents(command: str, arguments: list[str], url: str, text: str) -> str:
    """Ask an agent of the OpenAI Agents SDK."""
    from agents import Agent, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
    from agents.mcp import MCPServerStdio
    from openai import AsyncOpenAI

    set_tracing_disabled(True)
    client = AsyncOpenAI(base_url=url, api_key="none")
    async with MCPServerStdio({"command": command, "args": arguments}) as server:
        model = OpenAIChatCompletionsModel("scripted", client)
        agent = Agent(name="helper", model=model, mcp_servers=[server])
        return str((await Runner.run(agent, text)).final_output)


async def pydantic_ai(command: str, arguments: list[str], url: str, text: str) -> str:
    """Ask an agent of Pydantic AI."""
    from fastmcp.client.transports import StdioTransport
    from pydantic_ai import Agent
    from pydantic_ai.mcp import MCPToolset
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    model = OpenAIChatModel("scripted", provider=OpenAIProvider(base_url=url, api_key="none"))
    agent = Agent(model, toolsets=[MCPToolset(StdioTransport(command, arguments))])
    async with agent:
        return str((await agent.run(text)).output)


async def langgraph(command: str, arguments: list[str], url: str, text: str) -> str:
    """Ask an agent of LangChain, which LangGraph runs."""
    from langchain.agents import create_agent
    from langchain_mcp_adapters.client import MultiServerMCPClient
    from langchain_openai import ChatOpenAI

    server = {"transport": "stdio", "command": command, "args": arguments}
    tools = await MultiServerMCPClient({"memory": server}).get_tools()
    model = ChatOpenAI(model="scripted", base_url=url, api_key="none")
    done = await create_agent(model, tools).ainvoke({"messages": [("user", text)]})
    return str(done["messages"][-1].content)


async def smolagents(command: str, arguments: list[str], url: str, text: str) -> str:
    """Ask an agent of smolagents, which is synchronous."""
    from mcp import StdioServerParameters
    from smolagents import OpenAIServerModel, ToolCallingAgent, ToolCollection

    def ask() -> str:
        server = StdioServerParameters(command=command, args=arguments)
        with ToolCollection.from_mcp(
            server, trust_remote_code=True, structured_output=False
        ) as found:
            model = OpenAIServerModel("scripted", api_base=url, api_key="none")
            agent = ToolCallingAgent([*found.tools], model, max_steps=3, verbosity_level=0)
            return str(agent.run(text))

    return await asyncio.to_thread(ask)


async def fastmcp(command: str, arguments: list[str], url: str, text: str) -> str:
    """Let the endpoint's model choose a tool for FastMCP's client, which has no agent."""
    import json

    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport
    from openai import AsyncOpenAI

    model = AsyncOpenAI(base_url=url, api_key="none").chat.completions
    messages = [{"role": "user", "content": text}]
    async with Client(StdioTransport(command, arguments, keep_alive=False)) as client:
        done = await model.create(model="scripted", messages=messages)
        (call,) = done.choices[0].message.tool_calls
        result = await client.call_tool(call.function.name, json.loads(call.function.arguments))
        answer = {"role": "user", "content": result.content[0].text}
        done = await model.create(model="scripted", messages=[*messages, answer])
        return str(done.choices[0].message.content)


FRAMEWORKS = {
    "openai-agents": openai_agents,
    "pydantic-ai": pydantic_ai,
    "langgraph": langgraph,
    "smolagents": smolagents,
    "fastmcp": fastmcp,
}

if __name__ == "__main__":
    framework, endpoint, said, program, *words = sys.argv[1:]
    sys.stdout.write(asyncio.run(FRAMEWORKS[framework](program, words, endpoint, said)))
