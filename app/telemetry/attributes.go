package telemetry

import (
	"context"
	"errors"

	otel "go.opentelemetry.io/otel/attribute"

	"vivra/app"
	"vivra/app/agent"
)

type attribute = otel.KeyValue

// The names are those of the semantic conventions for generative AI, v0.1.0,
// which no Go package has yet; vivra.* are our own.
const (
	scopeName = "vivra/app/telemetry"
	schemaURL = "https://opentelemetry.io/schemas/gen-ai/0.1.0"

	keyOperation = otel.Key("gen_ai.operation.name")
	keyProvider  = otel.Key("gen_ai.provider.name")
	keyAgent     = otel.Key("gen_ai.agent.name")
	keyRun       = otel.Key("gen_ai.conversation.id")
	keyError     = otel.Key("error.type")

	keyModel       = otel.Key("gen_ai.request.model")
	keyMaxTokens   = otel.Key("gen_ai.request.max_tokens")
	keyTemperature = otel.Key("gen_ai.request.temperature")
	keyServed      = otel.Key("gen_ai.response.model")
	keyReasons     = otel.Key("gen_ai.response.finish_reasons")
	keyOutputType  = otel.Key("gen_ai.output.type")

	keyInputTokens  = otel.Key("gen_ai.usage.input_tokens")
	keyCachedTokens = otel.Key("gen_ai.usage.cache_read.input_tokens")
	keyOutputTokens = otel.Key("gen_ai.usage.output_tokens")
	keyReasoning    = otel.Key("gen_ai.usage.reasoning.output_tokens")
	// No convention says what a call costs. This one, in dollars, is what
	// several tools read; ours is exact.
	keyUSD = otel.Key("gen_ai.usage.cost")

	keyTool     = otel.Key("gen_ai.tool.name")
	keyToolType = otel.Key("gen_ai.tool.type")
	keyToolCall = otel.Key("gen_ai.tool.call.id")

	keyCost       = otel.Key("vivra.cost_nusd")
	keyCostSource = otel.Key("vivra.cost_source")
	keyTotal      = otel.Key("vivra.total_cost_nusd") // of what lies under the span
	keyCall       = otel.Key("vivra.call")            // the ledger's row
	keyCallState  = otel.Key("vivra.call_state")
	keySlug       = otel.Key("vivra.operation")
	keyStep       = otel.Key("vivra.step")
	keyTask       = otel.Key("vivra.task")
	keyTurn       = otel.Key("vivra.turn")
	keyOutcome    = otel.Key("vivra.outcome")
)

// provider is the dialect that is spoken, whoever answers.
const provider = "openai"

func commonAttributes(run RunInfo) []attribute {
	return []attribute{keyAgent.String(run.Agent), keyRun.String(run.ID), keySlug.String(run.Operation), keyStep.String(run.Step)}
}

func runAttributes(run RunInfo) []attribute {
	return append(commonAttributes(run), keyOperation.String("invoke_agent"), keyProvider.String(provider),
		keyModel.String(run.Model), keyTask.String(run.Task))
}

func turnAttributes(n int) []attribute { return []attribute{keyTurn.Int(n)} }

func toolAttributes(name, id string) []attribute {
	return []attribute{keyOperation.String("execute_tool"), keyTool.String(name), keyToolType.String("function"), keyToolCall.String(id)}
}

func callAttributes(id int64, operation, model string) []attribute {
	return []attribute{keyOperation.String(operation), keyProvider.String(provider), keyModel.String(model), keyCall.Int64(id)}
}

func requestAttributes(info CallInfo) []attribute {
	out := append(callAttributes(info.ID, "chat", info.Request.Model), keyMaxTokens.Int64(info.Request.MaxOutputTokens))
	if info.Request.Temperature != nil {
		out = append(out, keyTemperature.Float64(*info.Request.Temperature))
	}
	return out
}

func imageAttributes(id int64, model string) []attribute {
	return append(callAttributes(id, "generate_content", model), keyOutputType.String("image"))
}

func answerAttributes(answer agent.Response) []attribute {
	out := []attribute{keyReasons.StringSlice([]string{finishReason(answer)})}
	if answer.Served != "" {
		out = append(out, keyServed.String(answer.Served))
	}
	return out
}

func finishReason(answer agent.Response) string {
	switch {
	case answer.Cut:
		return "length"
	case len(answer.Calls) > 0:
		return "tool_calls"
	default:
		return "stop"
	}
}

func costAttributes(out app.CallOutcome) []attribute {
	all := []attribute{keyCost.Int64(int64(out.Cost)), keyUSD.Float64(dollars(out.Cost)), keyCallState.String(out.State)}
	if out.Source != "" {
		all = append(all, keyCostSource.String(string(out.Source)))
	}
	if u := out.Usage; u != nil && u.Reported {
		all = append(all, keyInputTokens.Int64(u.PromptTokens), keyCachedTokens.Int64(u.CachedTokens),
			keyOutputTokens.Int64(u.BillableOutput()), keyReasoning.Int64(u.ReasoningTokens))
	}
	return all
}

func totalAttribute(total app.Nano) attribute { return keyTotal.Int64(int64(total)) }

func dollars(n app.Nano) float64 { return float64(n) / float64(app.Dollar) }

// errorType sums up a failure in one word of ours: what an error says may quote
// a model or the outside.
func errorType(err error) string {
	var budget *app.BudgetError
	var fault *agent.ModelError
	switch {
	case errors.As(err, &budget):
		return "budget_exceeded"
	case errors.As(err, &fault):
		return fault.Reason
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	default:
		return string(app.KindOf(err))
	}
}
